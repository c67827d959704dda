//! `GcryptCipher`: symmetric ciphers, with the names and texts of Libgcrypt.

use super::args::Args;
use super::bytes::ByteArray;
use super::errors::{expected, fail, no_member};
use super::{budget, sandbox};
use aes::{Aes128, Aes192, Aes256};
use blowfish::Blowfish;
use cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use des::{Des, TdesEde3};
use mlua::{Lua, MetaMethod, MultiValue, Result, Table, UserData, UserDataMethods, Value};
use twofish::Twofish;

/// Maximum size of a block.
const MOST: usize = 16;

/// A block cipher with its key.
trait Blocks: Send + Sync {
    fn encrypt(&self, block: &mut [u8]);
    fn decrypt(&self, block: &mut [u8]);
}

impl<C: BlockCipherEncrypt + BlockCipherDecrypt + Send + Sync> Blocks for C {
    fn encrypt(&self, block: &mut [u8]) {
        if let Ok(block) = <&mut Block<C>>::try_from(block) {
            self.encrypt_block(block);
        }
    }

    fn decrypt(&self, block: &mut [u8]) {
        if let Ok(block) = <&mut Block<C>>::try_from(block) {
            self.decrypt_block(block);
        }
    }
}

type Keyed = Option<Box<dyn Blocks>>;

fn keyed<C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + Send + Sync + 'static>(key: &[u8]) -> Keyed {
    C::new_from_slice(key).ok().map(|cipher| Box::new(cipher) as Box<dyn Blocks>)
}

/// An algorithm of Libgcrypt.
struct Algorithm {
    /// The name of its constant, and that of the library.
    constant: &'static str,
    name: &'static str,
    number: i64,
    /// Bytes of a key, and of a block.
    key: usize,
    block: usize,
    /// The cipher with a key; none for RC4.
    keyed: Option<fn(&[u8]) -> Keyed>,
}

const fn algorithm(names: [&'static str; 2], number: i64, [key, block]: [usize; 2], keyed: fn(&[u8]) -> Keyed) -> Algorithm {
    Algorithm { constant: names[0], name: names[1], number, key, block, keyed: Some(keyed) }
}

const ALGORITHMS: [Algorithm; 8] = [
    algorithm(["AES128", "AES"], 7, [16, 16], keyed::<Aes128>),
    algorithm(["AES192", "AES192"], 8, [24, 16], keyed::<Aes192>),
    algorithm(["AES256", "AES256"], 9, [32, 16], keyed::<Aes256>),
    algorithm(["3DES", "3DES"], 2, [24, 8], keyed::<TdesEde3>),
    algorithm(["BLOWFISH", "BLOWFISH"], 4, [16, 8], keyed::<Blowfish>),
    algorithm(["TWOFISH", "TWOFISH"], 10, [32, 16], keyed::<Twofish>),
    algorithm(["DES", "DES"], 302, [8, 8], keyed::<Des>),
    Algorithm { constant: "ARCFOUR", name: "ARCFOUR", number: 301, key: 16, block: 1, keyed: None },
];

/// Modes of Libgcrypt.
const MODES: [(&str, i64); 13] = [
    ("NONE", 0),
    ("ECB", ECB),
    ("CFB", CFB),
    ("CBC", CBC),
    ("STREAM", STREAM),
    ("OFB", OFB),
    ("CTR", CTR),
    ("AESWRAP", 7),
    ("CCM", 8),
    ("GCM", 9),
    ("POLY1305", 10),
    ("OCB", 11),
    ("CFB8", CFB8),
];
const ECB: i64 = 1;
const CFB: i64 = 2;
const CBC: i64 = 3;
const STREAM: i64 = 4;
const OFB: i64 = 5;
const CTR: i64 = 6;
const CFB8: i64 = 12;
/// The command that forgets all but the key, and that which starts CFB anew.
const RESET: i64 = 4;
const CFB_SYNC: i64 = 3;

fn of_number(number: i64) -> Option<&'static Algorithm> {
    const ALL: &[Algorithm] = &ALGORITHMS;
    ALL.iter().find(|algorithm| algorithm.number == number)
}

/// The state of RC4.
struct Rc4 {
    state: [u8; 256],
    at: u8,
    swapped: u8,
}

impl Rc4 {
    fn new(key: &[u8]) -> Rc4 {
        let mut state = [0; 256];
        state.iter_mut().zip(0..=u8::MAX).for_each(|(slot, number)| *slot = number);
        let mut rc4 = Rc4 { state, at: 0, swapped: 0 };
        for (at, byte) in (0..=u8::MAX).zip(key.iter().cycle()) {
            rc4.swapped = rc4.swapped.wrapping_add(rc4.entry(at)).wrapping_add(*byte);
            rc4.state.swap(usize::from(at), usize::from(rc4.swapped));
        }
        Rc4 { swapped: 0, ..rc4 }
    }

    fn entry(&self, at: u8) -> u8 {
        self.state.get(usize::from(at)).copied().unwrap_or_default()
    }

    fn apply(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            self.at = self.at.wrapping_add(1);
            let first = self.entry(self.at);
            self.swapped = self.swapped.wrapping_add(first);
            let second = self.entry(self.swapped);
            self.state.swap(usize::from(self.at), usize::from(self.swapped));
            *byte ^= self.entry(first.wrapping_add(second));
        }
    }
}

/// What a key makes of an algorithm.
#[allow(clippy::large_enum_variant, reason = "a script has few ciphers")]
enum Key {
    Blocks(Box<dyn Blocks>),
    Stream(Rc4),
}

/// A cipher of a script.
struct Cipher {
    algorithm: &'static Algorithm,
    mode: i64,
    key: Option<Key>,
    /// The key as given: a reset starts a stream anew.
    given: Vec<u8>,
    /// The initialization vector, the counter, or the block before.
    register: [u8; MOST],
    keystream: [u8; MOST],
    /// Used bytes of the keystream.
    used: usize,
}

impl Cipher {
    fn open(lua: &Lua, values: MultiValue) -> Result<Cipher> {
        let args = Args::new(lua, "open", values);
        let (number, mode) = (args.int(1)?, args.int(2)?);
        args.int(3)?;
        let Some(algorithm) = of_number(number) else {
            return fail(lua, "Invalid cipher algorithm");
        };
        let fits = match algorithm.keyed {
            Some(_) => [ECB, CFB, CBC, OFB, CTR, CFB8].contains(&mode),
            None => mode == STREAM,
        };
        match MODES.iter().find(|(_, known)| *known == mode) {
            Some(_) if fits => {
                let (register, keystream) = ([0; MOST], [0; MOST]);
                Ok(Cipher { algorithm, mode, key: None, given: Vec::new(), register, keystream, used: MOST })
            }
            Some((name @ ("AESWRAP" | "CCM" | "GCM" | "POLY1305" | "OCB"), _)) => {
                fail(lua, format_args!("GCRY_CIPHER_MODE_{name} is not supported"))
            }
            _ => fail(lua, "Invalid cipher mode"),
        }
    }

    fn set_key(&mut self, lua: &Lua, key: &[u8]) -> Result<()> {
        budget::spend(lua, 10_000)?;
        // Libgcrypt takes keys of any length for Blowfish and RC4.
        let fits = match self.algorithm.constant {
            "BLOWFISH" => (1..=56).contains(&key.len()),
            "ARCFOUR" => (5..=256).contains(&key.len()),
            "TWOFISH" => matches!(key.len(), 16 | 32),
            _ => key.len() == self.algorithm.key,
        };
        let made = match self.algorithm.keyed {
            _ if !fits => None,
            Some(keyed) if self.algorithm.constant == "BLOWFISH" => keyed(&repeated(key)).map(Key::Blocks),
            Some(keyed) => keyed(key).map(Key::Blocks),
            None => Some(Key::Stream(Rc4::new(key))),
        };
        if made.is_none() {
            return fail(lua, "Invalid key length");
        }
        (self.key, self.given) = (made, key.to_vec());
        self.set_register(&[]);
        Ok(())
    }

    fn set_register(&mut self, bytes: &[u8]) {
        self.register = [0; MOST];
        let block = self.algorithm.block;
        self.register.iter_mut().take(block).zip(bytes).for_each(|(slot, byte)| *slot = *byte);
        self.used = MOST;
    }

    fn reset(&mut self) {
        self.set_register(&[]);
        if self.algorithm.keyed.is_none() && !self.given.is_empty() {
            self.key = Some(Key::Stream(Rc4::new(&self.given)));
        }
    }

    /// Encrypts or decrypts bytes in place.
    fn apply(&mut self, lua: &Lua, bytes: &mut [u8], is_encrypting: bool) -> Result<()> {
        budget::spend(lua, 20 + bytes.len())?;
        let size = self.algorithm.block;
        let Cipher { mode, key, register, keystream, used, .. } = self;
        match key {
            None => fail(lua, "Missing key"),
            Some(Key::Stream(rc4)) => {
                rc4.apply(bytes);
                Ok(())
            }
            Some(Key::Blocks(_)) if matches!(*mode, ECB | CBC) && !bytes.len().is_multiple_of(size) => {
                fail(lua, "Invalid length")
            }
            Some(Key::Blocks(cipher)) => {
                let (Some(register), Some(keystream)) = (register.get_mut(..size), keystream.get_mut(..size)) else {
                    return Ok(());
                };
                match *mode {
                    ECB | CBC => chain(&**cipher, (*mode == CBC).then_some(register), size, bytes, is_encrypting),
                    CFB8 => shift(&**cipher, register, bytes, is_encrypting),
                    mode => stream(&**cipher, mode, [register, keystream], used, bytes, is_encrypting),
                }
                Ok(())
            }
        }
    }

    fn transform(&mut self, lua: &Lua, (out, given): (Value, Value), is_encrypting: bool) -> Result<Option<ByteArray>> {
        if let Value::UserData(data) = &out {
            let Ok(mut array) = data.borrow_mut::<ByteArray>() else {
                return wrong(lua, 1, &out);
            };
            self.apply(lua, &mut array.bytes, is_encrypting)?;
            return Ok(None);
        }
        let mut bytes = bytes_of(lua, 2, &given)?;
        self.apply(lua, &mut bytes, is_encrypting)?;
        ByteArray::of(lua, bytes, None).map(Some)
    }
}

/// A key of Blowfish repeats in its schedule, so a short one may be written several times.
fn repeated(key: &[u8]) -> Vec<u8> {
    const LEAST: usize = 4;
    if key.len() >= LEAST { key.to_vec() } else { key.repeat(LEAST) }
}

fn combine(bytes: &mut [u8], other: &[u8]) {
    bytes.iter_mut().zip(other).for_each(|(byte, other)| *byte ^= other);
}

/// ECB, or CBC with the block before.
fn chain(cipher: &dyn Blocks, mut before: Option<&mut [u8]>, size: usize, bytes: &mut [u8], is_encrypting: bool) {
    let mut kept = [0; MOST];
    for block in bytes.chunks_exact_mut(size) {
        match (&mut before, is_encrypting) {
            (None, true) => cipher.encrypt(block),
            (None, false) => cipher.decrypt(block),
            (Some(before), true) => {
                combine(block, before);
                cipher.encrypt(block);
                before.copy_from_slice(block);
            }
            (Some(before), false) => {
                kept.iter_mut().zip(block.iter()).for_each(|(slot, byte)| *slot = *byte);
                cipher.decrypt(block);
                combine(block, before);
                before.iter_mut().zip(kept).for_each(|(slot, byte)| *slot = byte);
            }
        }
    }
}

/// CFB, OFB or CTR.
fn stream(
    cipher: &dyn Blocks,
    mode: i64,
    [register, keystream]: [&mut [u8]; 2],
    used: &mut usize,
    bytes: &mut [u8],
    is_encrypting: bool,
) {
    for byte in bytes {
        if *used >= register.len() {
            keystream.copy_from_slice(register);
            cipher.encrypt(keystream);
            match mode {
                CTR => {
                    for digit in register.iter_mut().rev() {
                        *digit = digit.wrapping_add(1);
                        if *digit != 0 {
                            break;
                        }
                    }
                }
                OFB => register.copy_from_slice(keystream),
                _ => {}
            }
            *used = 0;
        }
        let given = *byte;
        *byte ^= keystream.get(*used).copied().unwrap_or_default();
        if mode == CFB
            && let Some(slot) = register.get_mut(*used)
        {
            *slot = if is_encrypting { *byte } else { given };
        }
        *used += 1;
    }
}

/// CFB with segments of one byte.
fn shift(cipher: &dyn Blocks, register: &mut [u8], bytes: &mut [u8], is_encrypting: bool) {
    for byte in bytes {
        let mut block = [0; MOST];
        let Some(block) = block.get_mut(..register.len()) else {
            return;
        };
        block.copy_from_slice(register);
        cipher.encrypt(block);
        let given = *byte;
        *byte ^= block.first().copied().unwrap_or_default();
        register.rotate_left(1);
        if let Some(last) = register.last_mut() {
            *last = if is_encrypting { *byte } else { given };
        }
    }
}

fn wrong<T>(lua: &Lua, number: usize, value: &Value) -> Result<T> {
    expected(lua, number, "encrypt", "ByteArray", value)
}

/// The bytes of an array.
fn bytes_of(lua: &Lua, number: usize, value: &Value) -> Result<Vec<u8>> {
    let found = value.as_userdata().and_then(|data| data.borrow::<ByteArray>().ok().map(|array| array.bytes.clone()));
    match found {
        Some(bytes) => {
            budget::fits(lua, bytes.len())?;
            Ok(bytes)
        }
        None => wrong(lua, number, value),
    }
}

impl UserData for Cipher {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method_mut("setkey", |lua, this, key: Value| {
            let key = bytes_of(lua, 1, &key)?;
            this.set_key(lua, &key)
        });
        methods.add_method_mut("setiv", |lua, this, vector: Value| {
            this.set_register(&bytes_of(lua, 1, &vector)?);
            Ok(())
        });
        methods.add_method_mut("setctr", |lua, this, values: MultiValue| {
            let args = Args::new(lua, "setctr", values);
            let counter = if args.is_nil(1) { Vec::new() } else { bytes_of(lua, 1, &args.get(1))? };
            if !counter.is_empty() && counter.len() != this.algorithm.block {
                return fail(lua, "Invalid argument");
            }
            this.set_register(&counter);
            Ok(())
        });
        methods.add_method_mut("encrypt", |lua, this, values: (Value, Value)| this.transform(lua, values, true));
        methods.add_method_mut("decrypt", |lua, this, values: (Value, Value)| this.transform(lua, values, false));
        methods.add_method_mut("ctl", |lua, this, (command, _): (Value, MultiValue)| match super::args::integer(&command) {
            Some(RESET) => {
                this.reset();
                Ok(())
            }
            Some(CFB_SYNC) => {
                this.used = MOST;
                Ok(())
            }
            _ => fail(lua, "GcryptCipher:ctl supports GCRYCTL_RESET and GCRYCTL_CFB_SYNC only"),
        });
        for name in ["authenticate", "gettag", "checktag", "info"] {
            methods.add_method(name, move |lua, _, _: MultiValue| {
                fail::<()>(lua, format_args!("GcryptCipher:{name} is not supported"))
            });
        }
        methods.add_meta_method(MetaMethod::Index, |lua, _, name: Value| no_member::<()>(lua, &name, "GcryptCipher"));
    }
}

/// Adds the class, its constants and functions.
pub(super) fn add(lua: &Lua, globals: &Table) -> Result<()> {
    let class = lua.create_table()?;
    class.set("open", lua.create_function(Cipher::open)?)?;
    sandbox::guard_class(lua, &class, "GcryptCipher")?;
    globals.set("GcryptCipher", class)?;
    for algorithm in &ALGORITHMS {
        globals.set(format!("GCRY_CIPHER_{}", algorithm.constant), algorithm.number)?;
    }
    globals.set("GCRY_CIPHER_AES", 7)?;
    globals.set("GCRY_CIPHER_NONE", 0)?;
    for (name, number) in MODES {
        globals.set(format!("GCRY_CIPHER_MODE_{name}"), number)?;
    }
    globals.set("GCRYCTL_RESET", RESET)?;
    globals.set("GCRYCTL_CFB_SYNC", CFB_SYNC)?;
    let number = |lua: &Lua, name, values| Args::new(lua, name, values).int(1);
    let name = move |lua: &Lua, values: MultiValue| {
        let number = number(lua, "gcry_cipher_algo_name", values)?;
        Ok(of_number(number).map_or("?", |algorithm| algorithm.name))
    };
    globals.set("gcry_cipher_algo_name", lua.create_function(name)?)?;
    let named = |lua: &Lua, values: MultiValue| {
        let name = Args::new(lua, "gcry_cipher_map_name", values).text(1)?;
        let is_named = |known: &&Algorithm| [known.constant, known.name].iter().any(|known| known.eq_ignore_ascii_case(&name));
        Ok(ALGORITHMS.iter().find(is_named).map_or(0, |algorithm| algorithm.number))
    };
    globals.set("gcry_cipher_map_name", lua.create_function(named)?)?;
    let key = move |lua: &Lua, values: MultiValue| {
        let number = number(lua, "gcry_cipher_get_algo_keylen", values)?;
        Ok(of_number(number).map_or(0, |algorithm| algorithm.key))
    };
    globals.set("gcry_cipher_get_algo_keylen", lua.create_function(key)?)?;
    let block = move |lua: &Lua, values: MultiValue| {
        let number = number(lua, "gcry_cipher_get_algo_blklen", values)?;
        Ok(of_number(number).map_or(0, |algorithm| algorithm.block))
    };
    globals.set("gcry_cipher_get_algo_blklen", lua.create_function(block)?)
}
