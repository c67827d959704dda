//! CFB mode with segments of one byte: each byte of ciphertext takes a block of keystream (NIST SP 800-38A, section 6.3).
//!
//! The crate `cfb8` has no copy of its state.

/// Size of a block of AES.
pub(crate) const BLOCK: usize = 16;

/// The state of one direction: the last bytes of ciphertext.
#[derive(Clone)]
pub(crate) struct Cfb8 {
    register: [u8; BLOCK],
}

impl Cfb8 {
    /// Starts with an initialization vector.
    pub(crate) const fn new(iv: [u8; BLOCK]) -> Cfb8 {
        Cfb8 { register: iv }
    }

    /// Appends decrypted bytes to `out`. `encrypt` is the block cipher with its key.
    pub(crate) fn decrypt(&mut self, bytes: &[u8], out: &mut Vec<u8>, encrypt: impl Fn([u8; BLOCK]) -> [u8; BLOCK]) {
        out.reserve(bytes.len());
        for byte in bytes {
            let [key, ..] = encrypt(self.register);
            out.push(byte ^ key);
            self.register.rotate_left(1);
            let [.., last] = &mut self.register;
            *last = *byte;
        }
    }
}
