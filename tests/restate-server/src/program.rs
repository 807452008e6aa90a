//! Where the engine's program is: as it is named, or fetched once.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use sha2::{Digest, Sha512};

const INSTALL: &str = "install `npm`, which fetches it, or name the file `restate-server` in GRAPHLOOM_RESTATE_SERVER";

const VERSION: &str = "1.7.12";

/// The package of this machine, without its version, and its sha512.
fn package() -> Option<(&'static str, &'static str)> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some((
            "restate-server-linux-x64",
            "511a2d275008a9a4820e444c9783ab41f4cb1fe358b8e65bdd9b0fef0c718ae001ea99dc80f8535184af7a04c5e4f4eb0128673721cda63bbd9237f63b7431a0",
        )),
        ("linux", "aarch64") => Some((
            "restate-server-linux-arm64",
            "695ed8c56bcf869f3c32342d39b183843093c0205aebcc3064e00c989a83ade3b46ae1d8b927cea9a6c4c7823dd1ca19b31df34a136eb29a5b4cf2a9ace6be77",
        )),
        _ => None,
    }
}

/// The program: the one that is named, or the one that is fetched.
pub(crate) fn program() -> PathBuf {
    if let Some(file) = std::env::var_os("GRAPHLOOM_RESTATE_SERVER") {
        let file = PathBuf::from(file);
        assert!(file.exists(), "GRAPHLOOM_RESTATE_SERVER names no file");
        return file;
    }
    // The tests of one program would fetch beside each other.
    static FETCHED: OnceLock<PathBuf> = OnceLock::new();
    FETCHED.get_or_init(fetched).clone()
}

/// The program of the package from the package registry, which npm fetches when it is not there yet.
///
/// The package of the platform holds the program itself. The one that depends on it, for people, begins the engine as a child of
/// node, and brings a package that reports installations.
fn fetched() -> PathBuf {
    let Some((package, sha512)) = package() else { panic!("these tests need an engine of Restate: {INSTALL}") };
    let own = fs::metadata("/proc/self").expect("/proc is there").uid();
    let home = std::env::temp_dir().join(format!("graphloom-test-restate-{own}-{}", &sha512[..12]));
    if !home.exists() {
        fetch(&home, package, sha512);
    }
    // The name can be known beforehand, so somebody else could have made the folder.
    let meta = fs::symlink_metadata(&home).expect("the folder of the program is there");
    let is_own = meta.is_dir() && meta.uid() == own && meta.permissions().mode() & 0o022 == 0;
    assert!(is_own, "`{}` belongs to somebody else; remove it", home.display());
    home.join("package/bin/restate-server")
}

/// Fetches the package into a folder of this process, and gives the folder its name when it is whole.
fn fetch(home: &Path, package: &str, sha512: &str) {
    let own = home.with_extension(format!("{}", std::process::id()));
    let _ = fs::remove_dir_all(&own);
    fs::DirBuilder::new().recursive(true).mode(0o755).create(&own).expect("a directory for the program");
    let file = format!("restatedev-{package}-{VERSION}.tgz");
    run(&own, "npm", &["pack", "--silent", &format!("@restatedev/{package}@{VERSION}")]);
    let found = hex::encode(Sha512::digest(fs::read(own.join(&file)).expect("npm has written the package")));
    assert_eq!(found, sha512, "npm gave another package for {package} {VERSION}");
    run(&own, "tar", &["--extract", "--gzip", "--no-same-owner", "--file", &file]);
    let _ = fs::remove_file(own.join(&file));
    // Another test program may have been quicker; the folder is the same then.
    if fs::rename(&own, home).is_err() {
        assert!(home.exists(), "`{}` cannot be made", home.display());
    }
    let _ = fs::remove_dir_all(own);
}

/// Runs a program in a folder.
fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let run = Command::new(program).args(arguments).current_dir(folder).output();
    let reason = match &run {
        Ok(run) if run.status.success() => return,
        Ok(run) => String::from_utf8_lossy(&run.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    panic!("these tests need an engine of Restate, and `{program}` cannot fetch one: {reason}\n{INSTALL}");
}
