//! Certificates that a server and its test believe in, and nobody else.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

/// Makes an authority of its own and a certificate for `127.0.0.1`, gives the server its half in `data`, and returns the
/// file of the authority's certificate, which lies in `directory`.
pub(crate) fn certify(directory: &Path, data: &Path, user: Option<(u32, u32)>) -> PathBuf {
    let authority_key = KeyPair::generate().expect("a key");
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root = authority.self_signed(&authority_key).expect("a certificate of the authority");
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().expect("a key");
    let server = CertificateParams::new(["127.0.0.1".to_owned()]).expect("an address is a name");
    let server = server.signed_by(&key, &issuer).expect("a certificate of the server");
    let place = directory.join("root.crt");
    fs::write(&place, root.pem()).expect("the directory is ours");
    // Who comes without TLS is sent away.
    let rules = "local all all trust\nhostssl all all 127.0.0.1/32 trust\nhostnossl all all 127.0.0.1/32 reject\n";
    for (name, text) in
        [("server.crt", server.pem()), ("server.key", key.serialize_pem()), ("pg_hba.conf", rules.to_owned())]
    {
        let path = data.join(name);
        fs::write(&path, text).expect("the directory is the server's");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("the file is ours");
        if let Some((uid, gid)) = user {
            chown(&path, Some(uid), Some(gid)).expect("the file is given to the server's user");
        }
    }
    place
}
