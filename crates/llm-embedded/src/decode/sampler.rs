//! The choice of the next token.

/// How tokens are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sampling {
    /// 0 takes the likeliest token; 1 draws from the model's own distribution.
    pub(crate) temperature: f32,
    /// The probability mass that is drawn from.
    pub(crate) top_p: f32,
    /// Logits of recent tokens are divided by this (multiplied where negative); 1 does nothing.
    pub(crate) penalty: f32,
    /// Start of the random numbers.
    pub(crate) seed: u64,
}

/// A sampler with its random numbers.
#[derive(Debug)]
pub(crate) struct Sampler {
    sampling: Sampling,
    state: u64,
}

/// Tokens less likely than the likeliest one by a factor of e to this power are never drawn.
const REACH: f32 = 12.0;

impl Sampler {
    pub(crate) fn new(sampling: Sampling) -> Self {
        Self { sampling, state: sampling.seed }
    }

    /// The next token, or `None` when no logit is a number above minus infinity. `recent` tokens are penalised once each.
    pub(crate) fn pick(&mut self, logits: &mut [f32], recent: &[u32]) -> Option<u32> {
        self.penalise(logits, recent);
        let (best, top) = best(logits)?;
        let Sampling { temperature, top_p, .. } = self.sampling;
        if temperature <= 0.0 {
            return Some(best);
        }
        let floor = top - REACH * temperature;
        let mut candidates: Vec<(f32, u32)> = Vec::new();
        for (id, &logit) in (0_u32..).zip(&*logits) {
            if logit >= floor {
                candidates.push((((logit - top) / temperature).exp(), id));
            }
        }
        candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let total: f32 = candidates.iter().map(|(weight, _)| weight).sum();
        let mut kept = 0.0;
        let mut count = 0;
        for (weight, _) in &candidates {
            kept += weight;
            count += 1;
            if kept >= top_p * total {
                break;
            }
        }
        let mut left = self.uniform() * kept;
        for (weight, id) in &candidates[..count] {
            left -= weight;
            if left < 0.0 {
                return Some(*id);
            }
        }
        // Rounding can leave a little over.
        Some(candidates[count - 1].1)
    }

    fn penalise(&self, logits: &mut [f32], recent: &[u32]) {
        let penalty = self.sampling.penalty;
        for (index, token) in recent.iter().enumerate() {
            if recent[..index].contains(token) {
                continue;
            }
            if let Some(logit) = logits.get_mut(*token as usize) {
                *logit = if *logit > 0.0 { *logit / penalty } else { *logit * penalty };
            }
        }
    }

    /// The next random number, at least 0 and below 1 (`SplitMix64`, so that a seed means the same in every version).
    fn uniform(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        (mixed >> 40) as f32 / (1_u64 << 24) as f32
    }
}

/// The first of the highest logits.
fn best(logits: &[f32]) -> Option<(u32, f32)> {
    let mut best = None;
    let mut top = f32::NEG_INFINITY;
    for (id, &logit) in (0_u32..).zip(logits) {
        if logit > top {
            top = logit;
            best = Some(id);
        }
    }
    best.filter(|_| top.is_finite()).map(|id| (id, top))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(temperature: f32, top_p: f32, penalty: f32, seed: u64) -> Sampler {
        Sampler::new(Sampling { temperature, top_p, penalty, seed })
    }

    fn counts(mut sampler: Sampler, logits: &[f32]) -> Vec<usize> {
        let mut counts = vec![0; logits.len()];
        for _ in 0..4000 {
            counts[sampler.pick(&mut logits.to_vec(), &[]).unwrap() as usize] += 1;
        }
        counts
    }

    #[test]
    fn temperature_zero_takes_the_first_of_the_likeliest() {
        assert_eq!(sampler(0.0, 1.0, 1.0, 7).pick(&mut [1.0, 3.0, 3.0, 2.0], &[]), Some(1));
    }

    #[test]
    fn draws_follow_the_distribution() {
        // Probabilities 0.6, 0.3 and 0.1.
        let logits = [0.6_f32.ln(), 0.3_f32.ln(), 0.1_f32.ln()];
        let counts = counts(sampler(1.0, 1.0, 1.0, 1), &logits);
        for (count, share) in counts.iter().zip([0.6, 0.3, 0.1]) {
            assert!((*count as f64 / 4000.0 - share).abs() < 0.03, "{counts:?}");
        }
    }

    #[test]
    fn top_p_cuts_the_tail_and_temperature_sharpens() {
        let logits = [0.6_f32.ln(), 0.3_f32.ln(), 0.1_f32.ln()];
        let cut = counts(sampler(1.0, 0.85, 1.0, 1), &logits);
        assert!(cut[0] > 0 && cut[1] > 0 && cut[2] == 0, "{cut:?}");
        let sharp = counts(sampler(0.2, 1.0, 1.0, 1), &logits);
        assert!(sharp[0] > 3700, "{sharp:?}");
    }

    #[test]
    fn a_seed_repeats_and_another_differs() {
        let logits: Vec<f32> = (0..50).map(|index| (index % 7) as f32 / 3.0).collect();
        let draw = |seed| {
            let mut sampler = sampler(1.0, 1.0, 1.0, seed);
            (0..20).map(|_| sampler.pick(&mut logits.clone(), &[]).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(draw(3), draw(3));
        assert_ne!(draw(3), draw(4));
    }

    #[test]
    fn recent_tokens_lose_once() {
        let mut logits = [2.0, 1.9, -1.0];
        assert_eq!(sampler(0.0, 1.0, 1.1, 0).pick(&mut logits, &[0, 0, 2]), Some(1));
        assert!((logits[0] - 2.0 / 1.1).abs() < 1e-6 && (logits[2] + 1.1).abs() < 1e-6, "{logits:?}");
    }

    #[test]
    fn nothing_allowed_gives_nothing() {
        assert_eq!(sampler(1.0, 1.0, 1.0, 0).pick(&mut [f32::NEG_INFINITY; 3], &[]), None);
        assert_eq!(sampler(1.0, 1.0, 1.0, 0).pick(&mut [f32::NAN; 3], &[]), None);
    }
}
