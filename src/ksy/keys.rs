//! The supported keys with descriptions, as listed in `docs/ksy.md`.

/// A key.
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Its description.
    pub about: &'static str,
}

/// The keys of one kind of map.
pub struct Keys {
    /// The kind of map, as in "unknown key in …".
    pub of: &'static str,
    /// Its keys; others are errors, except those that begin with `-`.
    pub keys: &'static [Key],
}

const fn key(name: &'static str, about: &'static str) -> Key {
    Key { name, about }
}

/// A file, and each of `types`.
pub static TYPE: Keys = Keys {
    of: "a type",
    keys: &[
        key("meta", "the name of the file, and defaults of a type"),
        key("doc", "the description"),
        key("doc-ref", "references: a text or a list of texts"),
        key("params", "parameters, which a reader of the type passes"),
        key("seq", "attributes in reading order"),
        key("instances", "calculated values, and values at other positions"),
        key("types", "types by name; they may be nested"),
        key("enums", "names of integers"),
        key("to-string", "an expression of text: the summary"),
        key("-proto-dissect", "`set`: what parsing it does to the session; other programs ignore the key"),
        key("-webide-representation", "a pattern such as `{x:dec} of {y}`: the summary where `to-string` is missing"),
    ],
};

/// `meta`.
pub static META: Keys = Keys {
    of: "`meta`",
    keys: &[
        key("id", "the name of the protocol; necessary in a file"),
        key("title", "a longer name"),
        key("application", "programs that use it"),
        key("file-extension", "not used"),
        key("xref", "not used"),
        key("license", "the licence of the file"),
        key("tags", "not used"),
        key("ks-version", "the minimum version of the language, up to 0.11"),
        key("ks-debug", "not used: spans are always known"),
        key(
            "ks-opaque-types",
            "unknown types are searched as `NAME.ksy` in the folder of the file; without that file they are bytes, with a warning",
        ),
        key("ks-zero-copy-substream", "not used"),
        key("imports", "another file or a list: `name`, `folder/name`, `../name`, or `/folder/name` in a folder of `--ksy-dir`"),
        key("encoding", "the default encoding of text"),
        key("endian", "the default byte order: `le`, `be`, or a switch on a value"),
        key("bit-endian", "the default order of bits: `le` or `be`"),
        key("-proto-dissect", "where the protocol is found; other programs ignore the key"),
    ],
};

/// `-proto-dissect` of `meta`.
pub static REGISTRATION: Keys = Keys {
    of: "`-proto-dissect`",
    keys: &[
        key("transport", "`tcp`, `udp`, `payload` (carried by another protocol), or a list of these"),
        key("over", "the name under which another protocol hands over the payload: `raknet`"),
        key("ports", "ports and ranges of ports: `[27000, 27010-27019]`"),
        key(
            "magic",
            "the first bytes of a direction or a datagram on any other port: a text, a list of bytes and texts, or several such lists",
        ),
        key("framing", "on TCP `stream`, or `connection`: all that a side sends, read when the side closes; else `datagram`"),
        key("message", "the type that repeats on a stream, if it cannot be inferred from the root type"),
        key("roots", "the type that each direction begins with"),
        key("max-message", "the most bytes of a message on a stream: `64KiB`, `1MiB`"),
        key(
            "resync",
            "`magic`: after loss of sync, a direction resumes at the next magic; `segment`: at the next segment that begins with a message; `none`: its bytes are data",
        ),
        key("name", "the attribute of a message that names it, or the enum of that attribute"),
        key("info", "the summary of a message, an f-string: `{op} of {len} bytes`"),
        key("secret", "attributes of a message whose values are masked: `[body.password]`"),
        key("session", "variables of a conversation with their first values, or `key` for one of the key file"),
        key("deliver", "elements of a list that carry messages: their order, repeats and fragments"),
    ],
};

/// `deliver` of `-proto-dissect`.
pub static DELIVER: Keys = Keys {
    of: "`deliver`",
    keys: &[
        key("of", "the list whose elements carry messages: `segments`, `body.commands`"),
        key("when", "which elements do; all without it"),
        key("data", "the attribute with the bytes of the message, or of a part of it"),
        key("by", "a number: elements of one number are an ordered stream"),
        key("order", "the number of the element in its stream, which may wrap around; without a value it is delivered at once"),
        key("once", "a number that marks repeats of elements without `order`"),
        key("left", "how many fragments of the message follow: 0 in its last one"),
        key("id", "the number of the message of which the element is a part"),
        key("index", "the number of the part, from 0"),
        key("count", "the number of parts"),
        key("offset", "instead of `index`, where the bytes of the part belong in the message"),
        key("total", "instead of `count`, the size of the message in bytes"),
        key("as", "the type of the message"),
        key("payload", "instead of `as`, the protocol of the message, built in or of another file"),
    ],
};

/// `roots` of `-proto-dissect`.
pub static ROOTS: Keys = Keys {
    of: "`roots`",
    keys: &[
        key("client", "what the client sends"),
        key("server", "what the server sends"),
        key("any", "both, and bytes of no known direction; without it, the whole file"),
    ],
};

/// An entry of `seq`.
pub static ATTRIBUTE: Keys = Keys {
    of: "an attribute",
    keys: &[
        key("id", "the name"),
        key("doc", "the description"),
        key("doc-ref", "references"),
        key("-orig-id", "the name in the original documentation, shown with the field"),
        key("type", "`u1` to `s8be`, `f4`, `f8`, `b1` to `b64`, `str`, `strz`, a type with arguments, or a switch"),
        key("contents", "the bytes that must be here: a text, or a list of bytes and texts"),
        key("size", "the number of bytes"),
        key("size-eos", "`true`: all bytes up to the end of the stream"),
        key("terminator", "the byte that ends the value"),
        key("include", "`true`: the terminator is part of the value"),
        key("consume", "`false`: the terminator is read again by what follows"),
        key("eos-error", "`false`: the end of the stream may stand for the terminator"),
        key("pad-right", "the byte that fills the value up to its size"),
        key("encoding", "the encoding of text"),
        key("enum", "the names of an integer"),
        key("if", "a condition; without it there is no value"),
        key("repeat", "`expr`, `eos` or `until`"),
        key("repeat-expr", "the number of elements"),
        key("repeat-until", "a condition on the element `_`, which is the last one then"),
        key("process", "`xor(key)`, `rol(bits)`, `ror(bits)`, `zlib`, or a processor of the program"),
        key("parent", "the `_parent` of the object, or `false`"),
        key("valid", "what the value must be"),
        key("-webide-representation", "`{this:hex}` shows an integer in hexadecimal"),
        key("-proto-dissect", "additional handling of the value; other programs ignore the key"),
    ],
};

/// `-proto-dissect` of an attribute.
pub static EXTENSION: Keys = Keys {
    of: "`-proto-dissect` of an attribute",
    keys: &[
        key("object", "the bytes are an object, which `objects` lists and saves: its file extension, such as `png`"),
        key("content", "what the bytes are, for readers of the file: `json`"),
        key("set", "session variables with their new values, once the message is complete"),
        key("stream", "processors that the bytes of a direction pass from the next message on"),
        key("payload", "the protocol of the bytes, built in or of another file: its fields follow"),
        key("continue", "the name under which the keystream or window of `process` goes on in the next message"),
    ],
};

/// `-proto-dissect` of a type.
pub static TYPE_EXTENSION: Keys = Keys {
    of: "`-proto-dissect` of a type",
    keys: &[key("set", "session variables with their new values, once the message is complete")],
};

/// `stream` of `-proto-dissect`.
pub static STREAM: Keys = Keys {
    of: "`stream`",
    keys: &[
        key("client", "what the client sends: a processor, several as a list, or `none`"),
        key("server", "what the server sends"),
        key("both", "what both send"),
    ],
};

/// A session variable in its long form.
pub static VARIABLE: Keys = Keys {
    of: "a session variable",
    keys: &[
        key("init", "the first value: an expression, or `key`"),
        key("per", "`direction`: each direction has its own"),
        key("increment", "`true`: one more after each message"),
        key("share", "`client` or `pair`: conversations of the same client, or of the same two hosts, have it together"),
        key("reset-on", "`gap`: the first value again behind lost bytes"),
    ],
};

/// Keys of an entry of `instances` in addition to those of attributes.
pub static INSTANCE: Keys = Keys {
    of: "an instance",
    keys: &[
        key("value", "an expression: the value is calculated"),
        key("pos", "the position in the stream"),
        key("io", "the stream; without it, the one of the object"),
    ],
};

/// An entry of `params`.
pub static PARAM: Keys = Keys {
    of: "a parameter",
    keys: &[
        key("id", "the name"),
        key("type", "a type, also `bytes`, `bool`, `struct`, `io` and `any`; with `[]` a list"),
        key("enum", "the names of an integer"),
        key("doc", "the description"),
        key("doc-ref", "references"),
    ],
};

/// A member of an enum in its long form.
pub static MEMBER: Keys = Keys {
    of: "a member of an enum",
    keys: &[
        key("id", "the name"),
        key("doc", "the description"),
        key("doc-ref", "references"),
        key("-orig-id", "the name in the original documentation"),
    ],
};

/// `type` and `endian` as a switch.
pub static SWITCH: Keys = Keys {
    of: "a switch",
    keys: &[key("switch-on", "the value that decides"), key("cases", "values with their types; `_` is any other value")],
};

/// `valid` as a map.
pub static VALID: Keys = Keys {
    of: "`valid`",
    keys: &[
        key("eq", "equal to this value; `valid: x` is short for it"),
        key("min", "at least this value"),
        key("max", "at most this value"),
        key("any-of", "one of these values"),
        key("in-enum", "`true`: a member of its enum"),
        key("expr", "a condition on the value `_`"),
    ],
};

/// All of them, in the order of the documentation.
pub static ALL: &[&Keys] = &[
    &TYPE,
    &META,
    &REGISTRATION,
    &ROOTS,
    &VARIABLE,
    &DELIVER,
    &ATTRIBUTE,
    &EXTENSION,
    &STREAM,
    &TYPE_EXTENSION,
    &INSTANCE,
    &PARAM,
    &MEMBER,
    &SWITCH,
    &VALID,
];
