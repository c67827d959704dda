//! ISAAC cipher with 32-bit words, one word per opcode.

/// Words of the state.
const WORDS: usize = 256;

/// Golden ratio, the initial value of the mixing state.
const GOLDEN: u32 = 0x9e37_79b9;

/// Session seed: two words of the client, two of the server.
pub type Seeds = [u32; 4];

/// Offset of each server seed word from the client's.
const SERVER: u32 = 50;

/// ISAAC generator.
#[derive(Clone)]
pub struct Isaac {
    state: [u32; WORDS],
    words: [u32; WORDS],
    a: u32,
    b: u32,
    c: u32,
    /// Unused words of the current block, consumed from the last one down.
    left: usize,
}

impl Isaac {
    /// Generator of the client's opcodes.
    #[must_use]
    pub fn of_client(seeds: Seeds) -> Isaac {
        Isaac::new(&seeds)
    }

    /// Generator of the server's opcodes.
    #[must_use]
    pub fn of_server(seeds: Seeds) -> Isaac {
        Isaac::new(&seeds.map(|seed| seed.wrapping_add(SERVER)))
    }

    /// Generator of at most 256 seed words; others are zero.
    #[must_use]
    pub fn new(seeds: &[u32]) -> Isaac {
        let mut seed = [0; WORDS];
        for (word, given) in seed.iter_mut().zip(seeds) {
            *word = *given;
        }
        let mut mixed = [GOLDEN; 8];
        for _ in 0..4 {
            mix(&mut mixed);
        }
        let mut state = [0; WORDS];
        for (slots, words) in state.chunks_exact_mut(8).zip(seed.chunks_exact(8)) {
            stir(&mut mixed, words, slots);
        }
        for slots in state.chunks_exact_mut(8) {
            let mut words = [0; 8];
            words.copy_from_slice(slots);
            stir(&mut mixed, &words, slots);
        }
        Isaac { state, words: [0; WORDS], a: 0, b: 0, c: 0, left: 0 }
    }

    /// Returns the next word.
    pub fn next_word(&mut self) -> u32 {
        if self.left == 0 {
            self.block();
            self.left = WORDS;
        }
        self.left -= 1;
        at(&self.words, self.left)
    }

    /// Decrypts an opcode byte.
    pub fn decipher(&mut self, byte: u8) -> u8 {
        let [low, ..] = self.next_word().to_le_bytes();
        byte.wrapping_sub(low)
    }

    fn block(&mut self) {
        self.c = self.c.wrapping_add(1);
        self.b = self.b.wrapping_add(self.c);
        for place in 0..WORDS {
            let before = at(&self.state, place);
            self.a ^= match place % 4 {
                0 => self.a << 13,
                1 => self.a >> 6,
                2 => self.a << 2,
                _ => self.a >> 16,
            };
            self.a = self.a.wrapping_add(at(&self.state, place + 128));
            let word = at(&self.state, (before >> 2) as usize).wrapping_add(self.a).wrapping_add(self.b);
            set(&mut self.state, place, word);
            self.b = at(&self.state, (word >> 10) as usize).wrapping_add(before);
            set(&mut self.words, place, self.b);
        }
    }
}

/// Word at an index that wraps around.
fn at(words: &[u32; WORDS], place: usize) -> u32 {
    words.get(place % WORDS).copied().unwrap_or_default()
}

fn set(words: &mut [u32; WORDS], place: usize, word: u32) {
    if let Some(slot) = words.get_mut(place % WORDS) {
        *slot = word;
    }
}

fn stir(mixed: &mut [u32; 8], words: &[u32], slots: &mut [u32]) {
    for (mixed, word) in mixed.iter_mut().zip(words) {
        *mixed = mixed.wrapping_add(*word);
    }
    mix(mixed);
    slots.copy_from_slice(mixed);
}

fn mix(words: &mut [u32; 8]) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *words;
    macro_rules! step {
        ($x:ident ^= $shifted:expr; $y:ident += ; $z:ident += $w:ident) => {
            $x ^= $shifted;
            $y = $y.wrapping_add($x);
            $z = $z.wrapping_add($w);
        };
    }
    step!(a ^= b << 11; d += ; b += c);
    step!(b ^= c >> 2; e += ; c += d);
    step!(c ^= d << 8; f += ; d += e);
    step!(d ^= e >> 16; g += ; e += f);
    step!(e ^= f << 10; h += ; f += g);
    step!(f ^= g >> 4; a += ; g += h);
    step!(g ^= h << 8; b += ; h += a);
    step!(h ^= a >> 9; c += ; a += b);
    *words = [a, b, c, d, e, f, g, h];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::trial::bytes;

    /// Seeds, the first eight words, the low bytes of the first sixteen, words 254 to 257.
    const VECTORS: [(Seeds, &str, &str, &str); 5] = [
        (
            [0; 4],
            "182600F3 300B4A8D 301B6622 B08ACD21 296FD679 995206E9 B3FFA8B5 0FC99C24",
            "F3 8D 22 21 79 E9 B5 24 AF EF C2 FB 74 1D BD 7A",
            "D91AA738 E76DD339 7A68710F 6554ABDA",
        ),
        (
            [1, 2, 3, 4],
            "DAF8863E 74A5CB37 AFD4ED73 877C7C44 8FC83D9B 606024AD FF7A07AA 4FB9C0C7",
            "3E 37 73 44 9B AD AA C7 08 3C C1 56 34 C0 A8 40",
            "D96568BD 289EDF7A 3C3D3009 D89DED00",
        ),
        (
            [51, 52, 53, 54],
            "21FC9D18 7A803E6F 6370D89F C9958CFA 2B131A4C A2A67345 2E178A42 A2A92F61",
            "18 6F 9F FA 4C 45 42 61 3F 63 CD 0F 61 53 71 E7",
            "FF71430A A8EB1E80 AE464088 6BAE907B",
        ),
        (
            [0x0102_0304, 0x0506_0708, 0x090a_0b0c, 0x0d0e_0f10],
            "CFD4730B B6BBB74F 095B82B0 B1E7D4DA 227FBF3A C7FE2C95 B58D3791 09648BC9",
            "0B 4F B0 DA 3A 95 91 C9 4D 02 10 F5 C3 B5 5C 70",
            "06B6CE40 0438F0C1 5617D621 CE5C2621",
        ),
        (
            [0x0102_0336, 0x0506_073a, 0x090a_0b3e, 0x0d0e_0f42],
            "C365CE98 AFC05E04 752B2BCA E2CED66E 247830EB DB28108B 09041B5D AC5BB967",
            "98 04 CA 6E EB 8B 5D 67 99 ED 19 D9 5E 5B A4 4A",
            "88A15E36 08C5D58B 610DA5DD C7865F81",
        ),
    ];

    #[test]
    fn words_are_those_of_the_table() {
        for (seeds, first, low, later) in VECTORS {
            let mut isaac = Isaac::of_client(seeds);
            let words: Vec<u32> = (0..258).map(|_| isaac.next_word()).collect();
            let hex = |words: &[u32]| words.iter().map(|word| format!("{word:08X}")).collect::<Vec<_>>().join(" ");
            assert_eq!((hex(&words[..8]), hex(&words[254..])), (first.to_owned(), later.to_owned()));
            let bytes_of = |word: &u32| word.to_le_bytes()[0];
            assert_eq!(words[..16].iter().map(bytes_of).collect::<Vec<_>>(), bytes(low));
        }
    }

    #[test]
    fn the_published_vector_is_the_same_read_backwards() {
        let mut isaac = Isaac::of_client([0; 4]);
        let words: Vec<u32> = (0..513).map(|_| isaac.next_word()).collect();
        assert_eq!((words[511], words[512]), (0xf650_e4c8, 0x4bb5_af29));
    }

    #[test]
    fn v8_opcodes_of_both_sides() {
        let mut client = Isaac::of_client([1, 2, 3, 4]);
        assert_eq!([0x3e, 0x37, 0x73].map(|byte| client.decipher(byte)), [0, 0, 0]);
        assert_eq!(Isaac::of_server([1, 2, 3, 4]).decipher(0x69), 81);
    }
}
