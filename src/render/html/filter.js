// The filter: a part of Wireshark's display filters, compiled to a function of a record. What it cannot do, it says.

/** A mistake in a filter, with the place where it is. */
class Mistake extends Error {
  constructor(text, at) { super(text); this.at = at; }
}

const OPERATORS = {
  "==": "==", eq: "==", any_eq: "==", "!=": "!=", ne: "!=", all_ne: "!=", "===": "===", all_eq: "===", "!==": "!==", any_ne: "!==",
  "<": "<", lt: "<", "<=": "<=", le: "<=", ">": ">", gt: ">", ">=": ">=", ge: ">=", contains: "contains", matches: "matches", "~": "matches", in: "in",
};
/** Operators that hold for the opposite of another one. */
const OPPOSITES = { "!=": "==", "!==": "===" };
const CALLS = {
  len: (value) => ({ text: String(bytesIn(value).length) }), lower: (value) => ({ ...value, text: value.text.toLowerCase(), bytes: undefined }),
  upper: (value) => ({ ...value, text: value.text.toUpperCase(), bytes: undefined }),
};

function tokens(text) {
  const pattern = /\s*(?:("(?:[^"\\]|\\.)*")|(\[[^\]]*\])|(&&|\|\||\^\^|===|!==|==|!=|<=|>=|\.\.|[<>!()~{},&*%])|((?:(?!\.\.)[^\s"()<>=!&|{},~[\]*%^])+))/y;
  const found = [];
  const end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) throw new Mistake("unexpected character", at + text.slice(at).search(/\S/));
    const place = pattern.lastIndex - match[0].trimStart().length;
    const quoted = match[1] === undefined ? undefined : match[1].slice(1, -1).replace(/\\(["\\])/g, "$1");
    found.push({ word: match[3] || match[4], slice: match[2], quoted, at: place });
  }
  return found;
}

const cannot = (what, at) => new Mistake(`this page cannot ${what}; -Y of the program can`, at);

/** A function that says whether a record matches. */
function compile(text) {
  const all = tokens(text);
  let next = 0;
  const word = () => all[next] && all[next].word;
  const at = () => (all[next] ? all[next].at : text.length);
  const take = (...words) => words.includes(word()) && all[next++];
  const chain = (part, join, ...words) => () => {
    let left = part();
    while (take(...words)) { const one = left, other = part(); left = (record) => join(one(record), () => other(record)); }
    return left;
  };
  const single = () => {
    if (take("not", "!")) { const inner = single(); return (record) => !inner(record); }
    if (take("(")) {
      const inner = either();
      if (!take(")")) throw new Mistake("expected )", at());
      return inner;
    }
    const quantifier = take("any", "all");
    const token = all[next];
    if (!token) throw new Mistake("expected a field or a text in quotes", text.length);
    if (token.quoted !== undefined) { next++; return search(token.quoted); }
    const values = operand();
    const isNegated = word() === "not" && all[next + 1] && all[next + 1].word === "in" && next++;
    const place = at();
    const operator = Object.hasOwn(OPERATORS, word() || "") ? OPERATORS[all[next++].word] : undefined;
    if (!operator && /^[&*%+/-]$/.test(word() || "")) throw cannot("calculate", place);
    if (!operator) return (record) => values(record).length > 0;
    const test = operator === "in" ? oneOf(set()) : relation(OPPOSITES[operator] || operator, place);
    if (/^[&*%+/-]$/.test(word() || "")) throw cannot("calculate", at());
    return quantified(values, test, operator, quantifier && quantifier.word, isNegated);
  };
  /** A field, a function of one, or a slice: a function that lists its values in a record. */
  const operand = () => {
    const token = all[next++];
    if (!token || token.word === undefined || /^[()<>=!&|{},~^*%.]+$/.test(token.word)) throw new Mistake("expected a field or a text in quotes", token ? token.at : text.length);
    let values;
    if (take("(")) {
      const call = Object.hasOwn(CALLS, token.word) ? CALLS[token.word] : undefined;
      if (!call && token.word !== "count") throw cannot(`call ${token.word}()`, token.at);
      const inner = operand();
      if (!take(")")) throw new Mistake("expected )", at());
      values = call ? (record) => inner(record).map(call) : (record) => { const { length } = inner(record); return length ? [{ text: String(length) }] : []; };
    } else {
      if (token.word === "frame" && (/^(contains|matches|~)$/.test(word() || "") || (all[next] && all[next].slice))) throw cannot("read all bytes of a frame", token.at);
      if (/^[-@$]/.test(token.word)) throw cannot(`read ${token.word}`, token.at);
      values = named(token.word);
      if (!values) {
        const near = [...new Set(fields.map((field) => field[0]).filter((name) => name.includes(token.word)))].slice(0, 3).join(", ");
        throw new Mistake(`no record on this page has ${token.word}; ${near && `similar names: ${near}; `}to search for the text, quote it: "${token.word}"`, token.at);
      }
    }
    while (all[next] && all[next].slice) {
      const parts = sliceOf(all[next++]), whole = values;
      values = (record) => whole(record).map((value) => parts(bytesIn(value))).filter((bytes) => bytes !== undefined).map((bytes) => ({ text: hexOf(bytes), bytes }));
    }
    return values;
  };
  /** A value, or a field whose values are compared. */
  const literal = () => {
    const token = all[next];
    if (!token) throw new Mistake("expected a value", text.length);
    if (token.quoted === undefined && token.word === undefined) throw new Mistake("expected a value", token.at);
    const isField = token.quoted === undefined && (all[next + 1] && (all[next + 1].word === "(" || all[next + 1].slice) || (/^[a-z_][\w-]*(\.[\w-]+)+$/i.test(token.word) && named(token.word)));
    if (isField) return { of: operand(), at: token.at };
    next++;
    return token.quoted === undefined ? { text: token.word, at: token.at } : { text: token.quoted, isQuoted: true, at: token.at };
  };
  const relation = (operator) => {
    const wanted = literal();
    if (!wanted.of) { const test = comparison(operator, wanted); return () => test; }
    return (record) => {
      const tests = wanted.of(record).map((value) => comparison(operator, { text: value.text, isQuoted: value.isQuoted, at: wanted.at }));
      return (value) => tests.some((test) => test(value));
    };
  };
  const set = () => {
    if (!take("{")) throw new Mistake("expected {", at());
    const tests = [];
    while (!take("}")) {
      if (take(",")) continue;
      const from = literal();
      const isRange = take("..");
      const to = isRange && literal();
      if (from.of || to.of) throw cannot("compare with a set of fields", from.at);
      const [low, high] = isRange ? [comparison(">=", from), comparison("<=", to)] : [];
      tests.push(isRange ? (value) => low(value) && high(value) : comparison("==", from));
    }
    return tests;
  };
  const oneOf = (tests) => () => (value) => tests.some((test) => test(value));
  const both = chain(single, (one, other) => one && other(), "and", "&&");
  const neither = chain(both, (one, other) => one !== other(), "xor", "^^");
  const either = chain(neither, (one, other) => one || other(), "or", "||");
  const matches = either();
  if (next < all.length) throw new Mistake("expected and, or, or the end", at());
  return matches;
}

/** As in Wireshark, any value decides, but where != or === stands: then all do. A record without a value never matches. */
function quantified(values, test, operator, quantifier, isNegated) {
  const isOpposite = Object.hasOwn(OPPOSITES, operator);
  const isOfAll = quantifier ? quantifier === "all" : operator === "!=" || operator === "===";
  return (record) => {
    const found = values(record);
    if (!found.length) return isNegated;
    const one = test(record), holds = (value) => Boolean(one(value)) !== isOpposite;
    return (isOfAll ? found.every(holds) : found.some(holds)) !== Boolean(isNegated);
  };
}

/** How to list the values of a name: a function of a record. */
function named(name) {
  const property = (of) => {
    const values = (record) => [of(record)].flat().filter((value) => value !== undefined).map((value) => ({ text: String(value), isQuoted: typeof value === "string" }));
    return records.some((record) => values(record).length) ? values : undefined;
  };
  if (Object.hasOwn(PROPERTIES, name)) return property(PROPERTIES[name]);
  const numbers = new Set();
  fields.forEach((field, number) => { if (field[0] === name) numbers.add(number); });
  if (!numbers.size && Object.hasOwn(CARRIED, name)) return property(CARRIED[name]);
  const carries = (record) => over(record, name), noted = (record) => (record.N || []).filter((note) => note[1] === name);
  if (!numbers.size && !records.some(carries) && !records.some((record) => noted(record).length)) return undefined;
  return (record) => {
    const found = carries(record) ? [{ text: "" }] : [];
    for (const note of noted(record)) found.push({ text: note[2], isQuoted: true });
    anyNode(record, (node, buffer) => { if (numbers.has(node[FIELD])) found.push(valueOf(record, node, buffer)); });
    return found;
  };
}

/** The value of a node: its text without quotes, its meaning, and where its bytes are. */
function valueOf(record, node, buffer) {
  const shown = String(node[VALUE] ?? ""), isQuoted = shown.length > 1 && shown.startsWith('"') && shown.endsWith('"');
  const text = isQuoted ? shown.slice(1, -1).replace(/\\(["\\])/g, "$1") : shown;
  return { text, isQuoted, meaning: node[MEANING], place: node[OFF] < 0 ? undefined : { record, buffer, off: node[OFF], len: node[LEN] } };
}

const BYTES = /^[0-9a-f]{2}([:.-]?[0-9a-f]{2})*$/i;
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const fromHex = (text) => Uint8Array.from(text.replace(/[:.\s-]/g, "").match(/../g) || [], (pair) => parseInt(pair, 16));

/** The bytes of a value: of a text its letters, else what it was read from. */
function bytesIn(value) {
  if (value.bytes) return value.bytes;
  if (value.isQuoted || !value.place) return new TextEncoder().encode(value.text);
  const { record, buffer, off, len } = value.place, one = record.B && record.B[buffer ?? 0];
  return one ? bytesOf(one).subarray(off - one.o, off - one.o + len) : new Uint8Array();
}

/** The parts of a slice such as [0:3], [-2:], [4] or [1-2,5]. */
function sliceOf({ slice, at }) {
  const parts = slice.slice(1, -1).split(",").map((part) => {
    const match = /^\s*(-?\d*)\s*(?:(:|-)\s*(\d*))?\s*$/.exec(part);
    if (!match || (match[1] === "" && !match[2]) || match[1] === "-") throw new Mistake("expected a slice such as [0:3]", at);
    const from = Number(match[1] || 0), sign = match[2], last = match[3];
    return (bytes) => {
      const start = from < 0 ? bytes.length + from : from;
      const end = !sign ? start + 1 : last === "" ? bytes.length : sign === ":" ? start + Number(last) : Number(last) + 1;
      return start < 0 || start >= bytes.length || end > bytes.length ? undefined : Array.from(bytes.subarray(start, end));
    };
  });
  return (bytes) => { const found = parts.map((part) => part(bytes)); return found.includes(undefined) ? undefined : Uint8Array.from(found.flat()); };
}

/** A number as the program shows or reads it. */
function numberOf(text) {
  if (text === "true") return 1;
  if (text === "false") return 0;
  return /^[-+]?(0x[0-9a-f]+|\d+(\.\d*)?(e[-+]?\d+)?)$/i.test(text) ? (/^-/.test(text) ? -Number(text.slice(1)) : Number(text)) : NaN;
}

/** An address as a number with its count of bits. */
function addressIn(text) {
  const four = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (four) return four.slice(1).every((part) => Number(part) < 256) ? { bits: 32, number: four.slice(1).reduce((all, part) => all * 256n + BigInt(part), 0n) } : undefined;
  if (!/^[0-9a-f:]*:[0-9a-f:]*$/i.test(text) || text.split("::").length > 2) return undefined;
  const [head, tail] = text.split("::").map((part) => part.split(":").filter(Boolean));
  const groups = tail ? [...head, ...Array(Math.max(0, 8 - head.length - tail.length)).fill("0"), ...tail] : head;
  return groups.length === 8 && groups.every((group) => group.length < 5) ? { bits: 128, number: groups.reduce((all, group) => all * 65536n + BigInt(`0x${group}`), 0n) } : undefined;
}

/** An address with a mask: 10.0.0.0/8. */
function networkIn(text) {
  const match = /^(.*)\/(\d+)$/.exec(text), address = match && addressIn(match[1]), bits = match && Number(match[2]);
  return address && bits <= address.bits ? { address, shift: BigInt(address.bits - bits) } : undefined;
}

/** An end without its port. */
const endOf = (text) => text.replace(/^\[(.*)\](:\d+)?$/, "$1").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");

/** A function that says whether a value compares so with a literal. */
function comparison(operator, literal) {
  const wanted = literal.text, number = literal.isQuoted ? NaN : numberOf(wanted), network = networkIn(wanted), address = addressIn(wanted);
  const bytes = BYTES.test(wanted) && (!literal.isQuoted || /[:.-]/.test(wanted)) ? hexOf(fromHex(wanted)) : undefined;
  const equal = (value) => {
    if (network) { const own = addressIn(endOf(value.text)); return own !== undefined && own.bits === network.address.bits && own.number >> network.shift === network.address.number >> network.shift; }
    if (address) { const own = addressIn(endOf(value.text)); if (own) return own.bits === address.bits && own.number === address.number; }
    if (value.text === wanted || (value.meaning !== undefined && value.meaning !== "" && String(value.meaning).toLowerCase() === wanted.toLowerCase())) return true;
    const own = numberOf(value.text);
    if (value.bytes) return value.text === bytes || (!Number.isNaN(number) && value.bytes.length === 1 && value.bytes[0] === number) || (literal.isQuoted && hexOf(new TextEncoder().encode(wanted)) === value.text);
    if (!value.isQuoted && !Number.isNaN(number) && own === number) return true;
    return !value.isQuoted && bytes !== undefined && value.text.toLowerCase().replace(/[:\s]/g, "") === bytes;
  };
  const order = (value) => {
    if (address) { const own = addressIn(endOf(value.text)); return own && own.bits === address.bits ? (own.number < address.number ? -1 : Number(own.number > address.number)) : NaN; }
    if (value.isQuoted && Number.isNaN(number)) return value.text < wanted ? -1 : Number(value.text > wanted);
    return Math.sign(numberOf(value.text) - number);
  };
  const isOrder = /^[<>]/.test(operator);
  if (isOrder && Number.isNaN(number) && !address && !literal.isQuoted) throw cannot(`order by ${wanted}`, literal.at);
  switch (operator) {
    case "==": case "===": return equal;
    case "<": return (value) => order(value) < 0;
    case "<=": return (value) => order(value) <= 0;
    case ">": return (value) => order(value) > 0;
    case ">=": return (value) => order(value) >= 0;
    case "matches": {
      let pattern;
      try { pattern = new RegExp(wanted.replace(/^\(\?i\)/, ""), "i"); } catch { throw new Mistake("not a regular expression that this page can read", literal.at); }
      return (value) => pattern.test(textIn(value));
    }
    default: {
      const digits = bytes ?? hexOf(new TextEncoder().encode(wanted));
      return (value) => value.isQuoted && bytes === undefined ? value.text.includes(wanted) : hexOf(bytesIn(value)).match(new RegExp(`^(..)*${digits}`)) !== null;
    }
  }
}

/** A text, or bytes one letter each. */
const textIn = (value) => (value.isQuoted ? value.text : Array.from(bytesIn(value), (byte) => String.fromCharCode(byte)).join(""));

/** Records in which a text stands anywhere. */
function search(text) {
  const wanted = text.toLowerCase();
  const has = (words) => words !== undefined && String(words).toLowerCase().includes(wanted);
  return (record) =>
    [record.n, record.m, record.i, record.v, record.p, record.P, record.a, record.b, record.c, record.C].some(has) ||
    (record.N || []).some((note) => has(note[1]) || has(note[2])) || (record.M || []).some((note) => has(note[1])) ||
    anyNode(record, (node) => has(node[VALUE]) || has(node[MEANING]) || has(node[TITLE]) || has(fields[node[FIELD]][0]) || has(fields[node[FIELD]][1]));
}
