//! RC4.

#![allow(clippy::indexing_slicing, reason = "indices are below the size of the state")]

/// The cipher of a direction.
pub struct Rc4 {
    state: Vec<u8>,
    i: u8,
    j: u8,
}

impl Rc4 {
    pub fn new(key: &[u8]) -> Self {
        let mut cipher = Rc4 { state: (0..=255).collect(), i: 0, j: 0 };
        let mut j = 0_u8;
        for (i, key) in (0..256).zip(key.iter().cycle()) {
            j = j.wrapping_add(cipher.state[i]).wrapping_add(*key);
            cipher.state.swap(i, usize::from(j));
        }
        cipher
    }

    pub fn apply(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            self.i = self.i.wrapping_add(1);
            let (i, a) = (usize::from(self.i), self.state[usize::from(self.i)]);
            self.j = self.j.wrapping_add(a);
            let b = self.state[usize::from(self.j)];
            self.state.swap(i, usize::from(self.j));
            *byte ^= self.state[usize::from(a.wrapping_add(b))];
        }
    }
}
