// The filter: a part of Wireshark's display filters, compiled to a function of a record.

/** A mistake in a filter, with the place where it is. */
class Mistake extends Error {
  constructor(text, at) { super(text); this.at = at; }
}

const OPERATORS = { "==": "==", eq: "==", "!=": "!=", ne: "!=", "<": "<", lt: "<", "<=": "<=", le: "<=", ">": ">", gt: ">", ">=": ">=", ge: ">=", contains: "contains" };

function tokens(text) {
  const pattern = /\s*(?:("(?:[^"\\]|\\.)*")|(&&|\|\||==|!=|<=|>=|[<>!()])|([^\s"()<>=!&|]+))/y;
  const found = [];
  let end = text.trimEnd().length;
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) throw new Mistake("unexpected character", at + text.slice(at).search(/\S/));
    const place = pattern.lastIndex - match[0].trimStart().length;
    const word = match[2] || match[3];
    const quoted = match[1] === undefined ? undefined : match[1].slice(1, -1).replace(/\\(.)/g, "$1");
    found.push({ word, quoted, at: place });
  }
  return found;
}

/** A function that says whether a record matches. */
function compile(text) {
  const all = tokens(text);
  let next = 0;
  const word = () => all[next] && all[next].word;
  const at = () => (all[next] ? all[next].at : text.length);
  const take = (...words) => words.includes(word()) && all[next++];
  const either = () => {
    let left = both();
    while (take("or", "||")) { const one = left, other = both(); left = (record) => one(record) || other(record); }
    return left;
  };
  const both = () => {
    let left = single();
    while (take("and", "&&")) { const one = left, other = single(); left = (record) => one(record) && other(record); }
    return left;
  };
  const single = () => {
    if (take("not", "!")) { const inner = single(); return (record) => !inner(record); }
    if (take("(")) {
      const inner = either();
      if (!take(")")) throw new Mistake("expected )", at());
      return inner;
    }
    const token = all[next++];
    if (!token) throw new Mistake("expected a field or a text in quotes", text.length);
    if (token.quoted !== undefined) return search(token.quoted);
    if (/^[()<>=!&|]+$/.test(token.word)) throw new Mistake("expected a field or a text in quotes", token.at);
    const values = named(token.word);
    if (!values) {
      const near = [...new Set(fields.map((field) => field[0]).filter((name) => name.includes(token.word)))].slice(0, 3).join(", ");
      throw new Mistake(`no record on this page has ${token.word}; ${near && `similar names: ${near}; `}to search for the text, quote it: "${token.word}"`, token.at);
    }
    const operator = Object.hasOwn(OPERATORS, word() || "") ? OPERATORS[all[next++].word] : undefined;
    if (!operator) return (record) => values(record, () => true);
    const literal = all[next++];
    if (!literal) throw new Mistake("expected a value", text.length);
    const test = comparison(operator, literal.quoted === undefined ? literal.word : literal.quoted);
    // As in Wireshark, all values differ where != holds.
    if (operator === "!=") return (record) => values(record, () => true) && !values(record, (value, meaning) => !test(value, meaning));
    return (record) => values(record, test);
  };
  const matches = either();
  if (next < all.length) throw new Mistake("expected and, or, or the end", at());
  return matches;
}

/** How to visit the values of a name: a function of a record and a test, true if the test holds for any of them. */
function named(name) {
  const property = (of) => (record, test) => [of(record)].flat().some((value) => value !== undefined && test(value, ""));
  if (Object.hasOwn(PROPERTIES, name)) return property(PROPERTIES[name]);
  const numbers = new Set();
  fields.forEach((field, number) => { if (field[0] === name) numbers.add(number); });
  if (!numbers.size && Object.hasOwn(CARRIED, name)) return property(CARRIED[name]);
  const carries = (record) => over(record, name);
  if (!numbers.size && !records.some(carries) && !records.some((record) => (record.N || []).some((note) => note[1] === name))) return undefined;
  return (record, test) =>
    (carries(record) && test("", "")) || (record.N || []).some((note) => note[1] === name && test(note[2], "")) ||
    anyNode(record, (node) => numbers.has(node[FIELD]) && test(node[VALUE] ?? "", node[MEANING] ?? ""));
}

/** A value without the quotes that it is shown in. */
const bare = (value) => { const text = String(value); return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text; };

function comparison(operator, literal) {
  const wanted = literal.toLowerCase(), number = literal.trim() === "" ? NaN : Number(literal);
  // Bytes may be written with or without separators.
  const squeezed = wanted.replace(/[:\s-]/g, "");
  const equal = (value, meaning) => {
    const text = bare(value).toLowerCase();
    return text === wanted || bare(meaning).toLowerCase() === wanted || (!Number.isNaN(number) && text !== "" && Number(text) === number) ||
      (/^([0-9a-f]{2})+$/.test(squeezed) && text.replace(/[:\s]/g, "") === squeezed) ||
      // An address without its port.
      (text.startsWith(`${wanted}:`) && /^\d+$/.test(text.slice(wanted.length + 1)));
  };
  const ordered = (test) => (value) => { const text = bare(value); return text !== "" && test(Number(text), number); };
  switch (operator) {
    case "==": return equal;
    case "!=": return (value, meaning) => !equal(value, meaning);
    case "<": return ordered((a, b) => a < b);
    case "<=": return ordered((a, b) => a <= b);
    case ">": return ordered((a, b) => a > b);
    case ">=": return ordered((a, b) => a >= b);
    default: return (value, meaning) => bare(value).toLowerCase().includes(wanted) || String(meaning).toLowerCase().includes(wanted);
  }
}

/** Records in which a text stands anywhere. */
function search(text) {
  const wanted = text.toLowerCase();
  const has = (words) => words !== undefined && String(words).toLowerCase().includes(wanted);
  return (record) =>
    [record.n, record.m, record.i, record.v, record.p, record.P, record.a, record.b, record.c, record.C].some(has) ||
    (record.N || []).some((note) => has(note[1]) || has(note[2])) || (record.M || []).some((note) => has(note[1])) ||
    anyNode(record, (node) => has(node[VALUE]) || has(node[MEANING]) || has(node[TITLE]) || has(fields[node[FIELD]][0]) || has(fields[node[FIELD]][1]));
}
