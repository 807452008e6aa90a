//! Each architecture's log-probabilities and likeliest tokens.

use std::path::Path;

use candle_core::quantized::GgmlDType;
use serde_json::{Value, json};

use super::files::{CONTEXT, Recipe, small_vocabulary};
use super::server::Server;
use crate::model::{Gguf, Network};

const ARCHITECTURES: [&str; 6] = ["llama", "qwen2", "qwen3", "gemma3", "phi3", "smollm3"];

/// Longer than the window of any of the files, and odd.
const PROMPT: usize = 45;

/// How many tokens follow one by one.
const STEPS: usize = 6;

/// The mean distance that log-probabilities over the whole vocabulary may have where nothing is rounded.
const EXACT: f32 = 0.003;

/// The same where what goes into a product is rounded to 8 bits here, and not there. The logits of these networks are 3.5 from
/// their mean, and each of their random layers enlarges what came into it.
const ROUNDED: f32 = 0.4;

fn bar(recipe: Recipe) -> f32 {
    if recipe.is_exact() { EXACT } else { ROUNDED }
}

fn recipes() -> Vec<Recipe> {
    let mut recipes = Vec::new();
    for architecture in ARCHITECTURES {
        for matrices in [GgmlDType::F32, GgmlDType::Q8_0, GgmlDType::Q4K] {
            recipes.push(Recipe { architecture, matrices });
        }
    }
    for matrices in [GgmlDType::F16, GgmlDType::Q4_0, GgmlDType::Q4_1, GgmlDType::Q6K] {
        recipes.push(Recipe { architecture: "llama", matrices });
    }
    recipes
}

fn prompt(vocabulary: usize) -> Vec<u32> {
    (0..PROMPT).map(|at| ((at * 97 + at * at * 13 + 5) % (vocabulary - 2)) as u32).collect()
}

/// What each step gave: the log-probability of every token.
type Steps = Vec<Vec<f32>>;

/// The own network on a prompt and the tokens that follow it, one by one.
fn own_steps(file: &Path, prompt: &[u32], following: &[u32]) -> Steps {
    let network = Network::load(&Gguf::open(file).unwrap(), CONTEXT as usize).unwrap();
    let mut cache = network.cache().unwrap();
    let mut steps = Vec::new();
    // In parts, so that the second begins behind the first.
    let (first, second) = prompt.split_at(PROMPT / 2);
    network.read_tokens(first, &mut cache).unwrap();
    let mut unread = second.to_vec();
    for token in following.iter().copied().map(Some).chain([None]) {
        let rows = network.read_tokens(&unread, &mut cache).unwrap();
        let last = rows.narrow(0, rows.dim(0).unwrap() - 1, 1).unwrap();
        let logits = candle_nn::ops::log_softmax(&network.logits(&last).unwrap(), 1).unwrap();
        steps.push(logits.squeeze(0).unwrap().to_vec1().unwrap());
        unread = token.into_iter().collect();
        if unread.is_empty() {
            break;
        }
    }
    steps
}

fn likeliest(step: &[f32]) -> u32 {
    (0_u32..).zip(step).max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0
}

/// Compares one step: the mean distance, and whether the likeliest token is the same, or as likely but for twice the bar.
fn compare(recipe: Recipe, step: usize, own: &[f32], peer: &[(u32, f32)]) -> f32 {
    let name = recipe.name();
    let distance = peer.iter().map(|(id, wanted)| (own[*id as usize] - wanted).abs()).sum::<f32>() / peer.len() as f32;
    let (best, wanted) = peer[0];
    let top = own[likeliest(own) as usize];
    assert!(
        top - own[best as usize] < 2.0 * bar(recipe),
        "{name}, step {step}: {best} has {wanted} there, {top} is the top here"
    );
    distance
}

#[ignore = "needs `LLAMA_SERVER`, llama.cpp's server, which `.ci/llama-server` installs"]
#[test]
fn all_architectures_agree_with_llama_cpp() {
    let folder = tempfile::tempdir().unwrap();
    let (mut golden, mut far) = (serde_json::Map::new(), Vec::new());
    for recipe in recipes() {
        let (vocabulary, count) = small_vocabulary();
        // The server computes with the values that the quantised matrices have.
        let exact = folder.path().join("exact.gguf");
        recipe.write_exact(&exact, vocabulary.clone(), count);
        let server = Server::start(&exact, CONTEXT as usize);
        let file = folder.path().join("random.gguf");
        recipe.write(&file, vocabulary, count);
        let mut tokens = prompt(count);
        let mut peer = Vec::new();
        for _ in 0..=STEPS {
            let step = server.next(&tokens, count);
            assert!(step.len() >= count - 1, "{} of {count} tokens", step.len());
            tokens.push(step[0].0);
            peer.push(step);
        }
        let own = own_steps(&file, &tokens[..PROMPT], &tokens[PROMPT..PROMPT + STEPS]);
        let distances: Vec<f32> =
            own.iter().zip(&peer).enumerate().map(|(step, (own, peer))| compare(recipe, step, own, peer)).collect();
        let mean = distances.iter().sum::<f32>() / distances.len() as f32;
        println!(
            "{}: mean distance {mean:.4}, largest {:.4}",
            recipe.name(),
            distances.iter().copied().fold(0.0, f32::max)
        );
        if mean > bar(recipe) {
            far.push(recipe.name());
        }
        let top = |step: &Vec<(u32, f32)>| json!(step.iter().take(6).collect::<Vec<_>>());
        golden.insert(
            recipe.name(),
            json!({
                "following": &tokens[PROMPT..PROMPT + STEPS],
                "first": top(&peer[0]), "last": top(&peer[STEPS]),
            }),
        );
    }
    if let Some(path) = std::env::var_os("LLAMA_GOLDEN") {
        let lines: Vec<String> = golden.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        std::fs::write(path, format!("{{\n{}\n}}\n", lines.join(",\n"))).unwrap();
    }
    assert!(far.is_empty(), "far from llama.cpp: {far:?}");
}

#[test]
fn all_architectures_keep_what_llama_cpp_answered() {
    let golden: Value = serde_json::from_str(include_str!("../../tests/golden/architectures.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    // Every architecture, and every type of one.
    for recipe in recipes().into_iter().filter(|recipe| recipe.is_exact() || recipe.architecture == "llama") {
        let (vocabulary, count) = small_vocabulary();
        let file = folder.path().join("random.gguf");
        recipe.write(&file, vocabulary, count);
        let wanted = &golden[recipe.name()];
        let following: Vec<u32> = serde_json::from_value(wanted["following"].clone()).unwrap();
        let own = own_steps(&file, &prompt(count), &following);
        for (step, key) in [(0, "first"), (STEPS, "last")] {
            let peer: Vec<(u32, f32)> = serde_json::from_value(wanted[key].clone()).unwrap();
            let distance = compare(recipe, step, &own[step], &peer);
            assert!(distance < 2.0 * bar(recipe), "{}: {distance} in the {key} step", recipe.name());
        }
    }
}
