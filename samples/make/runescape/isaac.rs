//! The opcode cipher, also used by `benches/runescape.rs`.

#![allow(clippy::indexing_slicing, reason = "places are taken modulo their number")]

/// The generator of the key stream of opcodes.
pub struct Isaac {
    memory: [u32; 256],
    out: Vec<u32>,
    a: u32,
    b: u32,
    c: u32,
}

impl Isaac {
    /// The generator seeded with these words.
    pub fn new(seeds: [u32; 4]) -> Self {
        let mut seed = [0_u32; 256];
        seed[..4].copy_from_slice(&seeds);
        let mut w = [0x9e37_79b9_u32; 8];
        for _ in 0..4 {
            Isaac::mix(&mut w);
        }
        let mut memory = [0_u32; 256];
        for pass in 0..2 {
            for at in (0..256).step_by(8) {
                for lane in 0..8 {
                    let add = if pass == 0 { seed[at + lane] } else { memory[at + lane] };
                    w[lane] = w[lane].wrapping_add(add);
                }
                Isaac::mix(&mut w);
                memory[at..at + 8].copy_from_slice(&w);
            }
        }
        Isaac { memory, out: Vec::new(), a: 0, b: 0, c: 0 }
    }

    /// Each step shifts one lane, left or right, into its own, and adds around the circle.
    fn mix(w: &mut [u32; 8]) {
        for (lane, shift) in [11_i32, -2, 8, -16, 10, -4, 8, -9].into_iter().enumerate() {
            let next = w[(lane + 1) % 8];
            w[lane] ^= if shift > 0 { next << shift } else { next >> -shift };
            w[(lane + 3) % 8] = w[(lane + 3) % 8].wrapping_add(w[lane]);
            w[(lane + 1) % 8] = w[(lane + 1) % 8].wrapping_add(w[(lane + 2) % 8]);
        }
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        if self.out.is_empty() {
            self.c = self.c.wrapping_add(1);
            self.b = self.b.wrapping_add(self.c);
            for at in 0..256 {
                let x = self.memory[at];
                self.a ^= [self.a << 13, self.a >> 6, self.a << 2, self.a >> 16][at % 4];
                self.a = self.a.wrapping_add(self.memory[(at + 128) % 256]);
                let y = self.memory[(x >> 2) as usize % 256].wrapping_add(self.a).wrapping_add(self.b);
                self.memory[at] = y;
                self.b = self.memory[(y >> 10) as usize % 256].wrapping_add(x);
                self.out.push(self.b);
            }
        }
        self.out.pop().unwrap_or_default()
    }
}
