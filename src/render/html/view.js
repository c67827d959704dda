// The view: records, the fields and bytes of one of them, conversations, the summary.

// ---- Records ----

/** Numbers of the records that the filter leaves. */
let shown = records.map((_, place) => place);
let current;
/** Whether it is a record, and not the name of a file, damage or a picture of a conversation. */
const isRecord = (record) => "mplg".includes(record.k);

const ends = (record) => {
  const arrow = record.d === "s2c" ? "←" : "→";
  if (record.a && record.b) return `${record.a} → ${record.b}`;
  return record.c ? `${record.c} ${arrow}` : "";
};
const timeOf = (record) => record.T ?? (record.t === undefined ? "" : record.t.toFixed(6));
const level = (record) => ["broken", "odd"].find((level) => (record.N || []).some((note) => note[0] === level));

const list = new Rows(byId("list"), (place) => {
  const record = records[shown[place]];
  const row = make("div", record.d || "");
  if ((record.M || []).some((note) => note[0])) row.classList.add("marked");
  row.append(make("span", "number", record.n ?? "–"), make("span", record.T ? "time long" : "time", timeOf(record)),
    make("span", "ends", ends(record)), make("span", "protocol", record.p || ""), make("span", "size", record.l ?? ""),
    make("span", record.k === "g" || record.k === "x" ? "level-broken" : "", summaryOf(record)));
  if (record.k === "l") row.append(make("span", "level-odd", `late, frames ${record.f.join(",")}`));
  const worst = level(record);
  if (worst === "broken") row.append(make("span", "level-broken", record.N.filter((note) => note[0] === worst).map((note) => `[${note[2] || note[1]}]`).join(" ")));
  for (const [, text] of record.M || []) if (text) row.append(make("span", "note", text));
  return row;
}, "option");
list.onChoose = (place) => open(records[shown[place]]);

// ---- Fields ----

/** Nodes of the record at hand, flat and in reading order: { node, depth, parent, buffer, colour, number, open, end }. */
let flat = [];
/** Places in `flat` of the rows of the tree. */
let visible = [];

/** Flattens nodes. A parent has its fields behind it, up to `end`. */
function flatten(record) {
  flat = [];
  let colours = 0;
  const add = (nodes, depth, parent, around, inherited) => {
    const counts = new Map();
    for (const node of nodes) counts.set(node[FIELD], (counts.get(node[FIELD]) || 0) + 1);
    const seen = new Map();
    for (const node of nodes) {
      const flags = fields[node[FIELD]][2], buffer = node[BUFFER] ?? around;
      const number = (seen.get(node[FIELD]) || 0) + 1;
      seen.set(node[FIELD], number);
      const isEnvelope = flags & ENVELOPE && node[CHILDREN] && !(flags & FOLDED);
      const colour = inherited ?? (isEnvelope ? undefined : colours++ % 5);
      const many = counts.get(node[FIELD]);
      const entry = { node, depth, parent, buffer, colour, number: many > 1 && !node[TITLE] ? number : 0, open: !(flags & FOLDED) && many <= 40, end: 0 };
      const place = flat.push(entry) - 1;
      if (node[CHILDREN]) add(node[CHILDREN], depth + 1, place, buffer, isEnvelope ? undefined : colour);
      entry.end = flat.length;
    }
  };
  // Of a packet, the lower layers begin folded.
  const roots = record.L || [];
  add(roots, 0, -1, undefined, undefined);
  let place = 0;
  for (const [number] of roots.entries()) { flat[place].open = number === roots.length - 1; place = flat[place].end; }
  unfold();
}

/** Lists the rows that open nodes leave. */
function unfold() {
  visible = [];
  for (let place = 0; place < flat.length;) {
    visible.push(place);
    place = flat[place].open ? place + 1 : flat[place].end;
  }
}

const bitsOf = (node) => {
  const [first, count] = node[BITS];
  return count === 1 ? `bit ${first}` : `bits ${first}–${first + count - 1}`;
};

const tree = new Rows(byId("tree"), (place) => {
  const { node, depth, number, open, end, colour } = flat[visible[place]];
  const [name, label] = fields[node[FIELD]];
  const isLayer = depth === 0, has = end > visible[place] + 1;
  const row = make("div", isLayer ? "layer" : "");
  row.title = name;
  row.setAttribute("aria-level", depth + 1);
  if (has) row.setAttribute("aria-expanded", open);
  const twist = make("span", "twist", has ? (open ? "▾" : "▸") : "");
  twist.style.marginLeft = `${depth * 1.6}ch`;
  const words = make("span", "label", node[TITLE] || label + (number ? ` [${number}]` : ""));
  // Values of neighbours stand below each other.
  if (!isLayer) words.style.minWidth = `${Math.max(4, 24 - depth * 1.6)}ch`;
  row.append(twist, words);
  if (node[BITS]) row.append(make("span", "bits", bitsOf(node)));
  const value = node[VALUE] ?? "", meaning = node[MEANING] ?? "";
  if (value !== "") row.append(make("span", colour === undefined ? "" : `f${colour}`, value));
  if (meaning !== "") row.append(make("span", "meaning", meaning));
  return row;
}, "treeitem");

/** Opens or closes a node. */
function fold(place, open) {
  flat[visible[place]].open = open;
  unfold();
  tree.reset(visible.length, true);
}
tree.onChoose = (place, event) => {
  const at = visible[place];
  if (event && event.target.closest && event.target.closest(".twist") && flat[at].end > at + 1) fold(place, !flat[at].open);
  mark(at);
};
tree.onKey = (event) => {
  const at = visible[tree.chosen];
  if (at === undefined) return false;
  const entry = flat[at], has = entry.end > at + 1;
  if (event.key === "ArrowRight" && has && !entry.open) fold(tree.chosen, true);
  else if (event.key === "ArrowRight" && has) tree.choose(tree.chosen + 1);
  else if (event.key === "ArrowLeft" && has && entry.open) fold(tree.chosen, false);
  else if (event.key === "ArrowLeft" && entry.parent >= 0) tree.choose(visible.indexOf(entry.parent));
  else if ((event.key === "Enter" || event.key === " ") && has) fold(tree.chosen, !entry.open);
  else return false;
  event.preventDefault();
  return true;
};
byId("tree").addEventListener("dblclick", (event) => {
  const at = visible[tree.chosen];
  if (!event.target.closest(".twist") && at !== undefined && flat[at].end > at + 1) fold(tree.chosen, !flat[at].open);
});

/** Shows a node in the tree. */
function reveal(at) {
  for (let parent = flat[at].parent; parent >= 0; parent = flat[parent].parent) flat[parent].open = true;
  unfold();
  tree.reset(visible.length, true);
  tree.chosen = visible.indexOf(at);
  tree.reach(tree.chosen);
}

// ---- Bytes ----

/** The buffer in sight, the bytes that are marked in it, and for each byte its field and colour. */
let buffer, bufferNumber, marked = [0, 0], owners, colours;
let perLine = 16;

const hex = new Rows(byId("hex"), (line) => {
  const row = make("div", "");
  const bytes = bytesOf(buffer), from = line * perLine;
  const digits = make("span", ""), letters = make("span", "letters");
  row.append(make("span", "offset", (buffer.o + from).toString(16).padStart(8, "0")), digits, letters);
  for (let at = from; at < from + perLine; at++) {
    const byte = make("span", at === from + 8 ? "byte half" : "byte"), letter = make("span", "letter");
    if (at < bytes.length) {
      const value = bytes[at], isHidden = buffer.hidden[at];
      byte.textContent = isHidden ? "**" : value.toString(16).padStart(2, "0");
      letter.textContent = isHidden ? "*" : value >= 0x20 && value < 0x7f ? String.fromCharCode(value) : "·";
      for (const span of [byte, letter]) {
        span.dataset.at = at;
        if (colours[at] < 5) span.classList.add(`f${colours[at]}`);
        if (at >= marked[0] && at < marked[1]) span.classList.add("hit");
        if (at === cursor) span.classList.add("at");
      }
    } else { byte.textContent = "  "; letter.textContent = " "; }
    digits.append(byte);
    letters.append(letter);
  }
  return row;
}, "option");

/** The byte that arrow keys move. */
let cursor = -1;

function openBuffer(number) {
  if (bufferNumber !== number) cursor = -1;
  bufferNumber = number;
  buffer = (current.B || [])[number];
  for (const tab of byId("buffers").children) {
    tab.setAttribute("aria-selected", Number(tab.dataset.number) === number);
    tab.tabIndex = Number(tab.dataset.number) === number ? 0 : -1;
  }
  if (!buffer) { hex.reset(0); return; }
  const length = bytesOf(buffer).length;
  owners = new Int32Array(length).fill(-1);
  colours = new Uint8Array(length).fill(9);
  // Fields stand behind the groups that hold them, so the innermost one stays.
  flat.forEach(({ node, buffer: own, colour }, place) => {
    if (own !== number || node[OFF] < 0) return;
    const start = node[OFF] - buffer.o, end = start + node[LEN];
    owners.fill(place, start, end);
    if (colour !== undefined) colours.fill(colour, start, end);
  });
  hex.reset(Math.ceil(length / perLine));
}

/** Marks the bytes of a node. */
function mark(at) {
  const { node, buffer: number } = flat[at];
  if (number !== undefined && (number !== bufferNumber || !buffer)) openBuffer(number);
  marked = node[OFF] < 0 || !buffer ? [0, 0] : [node[OFF] - buffer.o, node[OFF] - buffer.o + node[LEN]];
  cursor = marked[1] > marked[0] ? marked[0] : -1;
  hex.show();
  if (marked[1] > marked[0]) { hex.chosen = Math.floor(marked[0] / perLine); hex.reach(hex.chosen); }
  byId("where").textContent = whereIs(node);
}

/** Where the bytes of a node are, down to frames. */
function whereIs(node) {
  const name = fields[node[FIELD]][0];
  if (node[OFF] < 0) return `${name}: generated, without bytes`;
  const last = node[OFF] + node[LEN] - 1;
  const place = node[LEN] === 0 ? `at ${node[OFF]}, no bytes` : node[LEN] === 1 ? `byte ${node[OFF]}` : `bytes ${node[OFF]}–${last}`;
  const pieces = (buffer.m || []).map(([off, len, frame, at]) => {
    const from = Math.max(off, node[OFF]), to = Math.min(off + len, last + 1);
    return from < to ? `frame ${frame} at ${at + from - off}–${at + to - 1 - off}` : "";
  }).filter(Boolean);
  const few = pieces.length > 6 ? [...pieces.slice(0, 3), `… ${pieces.length - 4} more`, pieces[pieces.length - 1]] : pieces;
  return `${name}: ${place} of ${buffer.n}${node[BITS] ? `, ${bitsOf(node)}` : ""}${few.length ? `, in ${few.join(", ")}` : ""}`;
}

/** Marks the field of a byte. */
function chooseByte(at) {
  cursor = at;
  const owner = owners[at];
  if (owner < 0) { marked = [at, at + 1]; hex.show(); byId("where").textContent = `byte ${buffer.o + at} of ${buffer.n}: no field`; return; }
  reveal(owner);
  const kept = byId("hex").scrollTop;
  mark(owner);
  cursor = at;
  hex.chosen = Math.floor(at / perLine);
  byId("hex").scrollTop = kept;
  hex.reach(hex.chosen);
}
hex.onChoose = (line, event) => {
  const span = event && event.target.closest && event.target.closest("[data-at]");
  if (span) chooseByte(Number(span.dataset.at));
};
hex.onKey = (event) => {
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -perLine, ArrowDown: perLine, PageUp: -perLine * hex.page, PageDown: perLine * hex.page };
  if (!buffer || !Object.hasOwn(steps, event.key)) return false;
  event.preventDefault();
  const length = bytesOf(buffer).length;
  chooseByte(Math.min(length - 1, Math.max(0, (cursor < 0 ? 0 : cursor) + steps[event.key])));
  return true;
};

/** As many bytes in a line as fit: 16 or 8. */
new ResizeObserver(() => {
  const room = byId("hex").clientWidth, letter = hex.height / 1.6 * 0.602;
  const fits = room >= letter * 80 ? 16 : 8;
  if (fits !== perLine) { perLine = fits; if (buffer) { hex.reset(Math.ceil(bytesOf(buffer).length / perLine), true); hex.show(); } }
}).observe(byId("hex"));

tabs(byId("buffers"), (tab) => {
  marked = [0, 0];
  openBuffer(Number(tab.dataset.number));
  byId("where").textContent = `${tab.textContent}: ${bytesOf(buffer).length} bytes from ${buffer.o}`;
});

// ---- One record ----

function open(record) {
  current = record;
  flatten(record);
  tree.reset(visible.length);
  byId("buffers").replaceChildren(...(record.B || []).map((one, number) => {
    const tab = make("button", "", one.w ? `${one.n} (${one.w})` : one.n);
    tab.type = "button"; tab.dataset.number = number; tab.setAttribute("role", "tab");
    return tab;
  }));
  byId("buffers").hidden = (record.B || []).length < 2;
  marked = [0, 0]; cursor = -1; bufferNumber = undefined;
  // The innermost layer is what a record is about.
  const root = flat.filter((entry) => entry.depth === 0).pop();
  openBuffer(root && root.buffer !== undefined ? root.buffer : 0);
  const place = root ? flat.indexOf(root) : -1;
  byId("where").textContent = root && buffer ? whereIs(root.node) : "";
  if (place >= 0) { tree.chosen = visible.indexOf(place); tree.reach(tree.chosen); }
  about(record);
}

/** What stands above the fields: comments, notes, pictures. */
function about(record) {
  const parts = [];
  if (record.C) parts.push(make("p", "comment", record.C));
  for (const [isMarked, text] of record.M || []) parts.push(make("p", "note", [isMarked ? "★ bookmark" : "note", text].filter(Boolean).join(": ")));
  for (const [level, code, text, number, off, len] of record.N || []) {
    const note = make("p", `level-${level}`, `${level}: ${text || code}`);
    note.title = code;
    if (off !== undefined) note.append(` (${len === 1 ? `byte ${off}` : `bytes ${off}–${off + len - 1}`} of ${record.B[number].n})`);
    parts.push(note);
  }
  parts.push(...(record.O || []).map(pictureOf));
  byId("about").replaceChildren(...parts);
}

/** A picture with the places on it. */
function pictureOf([name, source, marks]) {
  const whole = make("div", ""), frame = make("div", "picture"), picture = make("img");
  const words = marks.map(([label, x, y]) => `${label} at ${Math.round(x * 100)} % from the left, ${Math.round(y * 100)} % from the top`);
  picture.src = source; picture.alt = [name, ...words].join(": "); picture.title = picture.alt;
  frame.append(picture);
  marks.forEach(([label, x, y]) => {
    const mark = make("span", "mark");
    mark.style.left = `${x * 100}%`; mark.style.top = `${y * 100}%`; mark.title = label;
    frame.append(mark);
  });
  whole.append(frame, make("p", "quiet", picture.alt));
  return whole;
}

// ---- Filter ----

function filter() {
  const text = byId("filter").value.trim(), before = shown[list.chosen];
  let matches = () => true, mistake = "";
  try { if (text) matches = compile(text); } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    mistake = `${text}\n${" ".repeat(error.at)}^ ${error.message}`;
  }
  byId("mistake").textContent = mistake;
  byId("filter").setAttribute("aria-invalid", mistake !== "");
  if (mistake) return;
  shown = [];
  records.forEach((record, place) => { if (isRecord(record) ? matches(record) : !text && record.k !== "o") shown.push(place); });
  const all = records.filter(isRecord).length;
  byId("count").textContent = text ? `${shown.filter((place) => isRecord(records[place])).length} of ${all}` : `${all} ${all === 1 ? "record" : "records"}`;
  list.reset(shown.length);
  const again = shown.indexOf(before);
  if (again >= 0) { list.chosen = again; list.reach(again); } else if (shown.length) list.choose(0); else { current = { L: [], B: [] }; open(current); }
}
let waiting;
byId("filter").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, records.length > 2000 ? 250 : 80); });
byId("filter").addEventListener("keydown", (event) => {
  if (event.key === "Enter") { clearTimeout(waiting); filter(); byId("list").focus(); }
  if (event.key === "Escape") { byId("filter").value = ""; filter(); }
});
byId("explain").addEventListener("click", () => {
  byId("help").hidden = !byId("help").hidden;
  byId("explain").setAttribute("aria-expanded", !byId("help").hidden);
});

// ---- Conversations ----

/** Lines of the conversation at hand: { record, place } heads, { record, bytes, from } bytes. */
let lines = [];
const LINE = 16, TEXT_LINE = 96;

/** Bytes of a record as one side sent them: those of its innermost layer. */
function payload(record) {
  const root = (record.L || [])[(record.L || []).length - 1];
  if (!root || root[OFF] < 0) return undefined;
  const one = record.B[root[BUFFER] ?? 0];
  const from = root[OFF] - one.o;
  const bytes = bytesOf(one);
  return { off: root[OFF], bytes: bytes.subarray(from, from + root[LEN]), hidden: one.hidden.subarray(from, from + root[LEN]) };
}

const talk = new Rows(byId("talk"), (place) => {
  const { record, from, text, side } = lines[place];
  const row = make("div", `from-${side}`);
  if (from === undefined) {
    row.classList.add("head");
    row.append(make("span", "", `${side === "c2s" ? "→" : "←"} #${record.n ?? "–"}`), make("span", "quiet", timeOf(record)), make("span", "", record.p || ""), make("span", "", summaryOf(record)));
    return row;
  }
  const { off, bytes, hidden } = payload(record);
  const part = bytes.subarray(from, from + (text ? TEXT_LINE : LINE));
  let digits = "", letters = "";
  part.forEach((byte, at) => {
    const isHidden = hidden[from + at];
    digits += `${at === 8 ? " " : ""}${isHidden ? "**" : byte.toString(16).padStart(2, "0")} `;
    letters += isHidden ? "*" : byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·";
  });
  if (text) row.append(make("span", "", letters));
  else row.append(make("span", "offset", (off + from).toString(16).padStart(8, "0")), make("span", "", digits.padEnd(LINE * 3 + 1)), make("span", "", letters));
  return row;
}, "option");
talk.onChoose = (place, event) => {
  const { record, from } = lines[place];
  if (from === undefined && (!event || event.type === "mousedown")) goTo(record);
};
talk.onKey = (event) => {
  if (event.key !== "Enter" || talk.chosen < 0) return false;
  goTo(lines[talk.chosen].record);
  return true;
};

/** Shows a record in the list, without a filter that hides it. */
function goTo(record) {
  const place = records.indexOf(record);
  if (!shown.includes(place)) { byId("filter").value = ""; filter(); }
  chooseView(byId("tab-records"));
  list.choose(shown.indexOf(place));
}

function follow() {
  const name = byId("stream").value, text = byId("as-text").checked;
  lines = [];
  let file = "";
  for (const record of records) {
    if (record.k === "f") file = record.n;
    if (record.c === undefined || `${file}\n${record.c}` !== name) continue;
    lines.push({ record, side: record.d });
    const bytes = payload(record);
    for (let from = 0; bytes && from < bytes.bytes.length; from += text ? TEXT_LINE : LINE) lines.push({ record, from, text, side: record.d });
  }
  talk.reset(lines.length);
}

function listStreams() {
  const counts = new Map();
  let file = "";
  for (const record of records) {
    if (record.k === "f") file = record.n;
    if (record.c === undefined) continue;
    const key = `${file}\n${record.c}`, one = counts.get(key) || { file, record, count: 0 };
    one.count++;
    counts.set(key, one);
  }
  for (const [key, { file, record, count }] of counts) {
    const option = make("option", "", [file, `${record.c}, ${count} ${count === 1 ? "record" : "records"}`, record.p, record.a && `${record.a} → ${record.b}`].filter(Boolean).join("  "));
    option.value = key;
    byId("stream").append(option);
  }
}
byId("stream").addEventListener("change", follow);
byId("as-text").addEventListener("change", follow);

// ---- Views, colours, keys, paper ----

const chooseView = tabs(document.querySelector('[aria-label="Views"]'), (tab) => {
  for (const pane of document.querySelectorAll('#app > [role="tabpanel"]')) pane.hidden = pane.id !== tab.getAttribute("aria-controls");
  if (tab.id === "tab-follow") {
    // The conversation of the record at hand is the one to begin with.
    if (current && current.c) { const same = [...byId("stream").options].find((option) => option.value.endsWith(`\n${current.c}`)); if (same && !lines.length) byId("stream").value = same.value; }
    follow();
  }
  for (const rows of [list, tree, hex, talk]) rows.show();
});

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
function scheme(name) {
  document.documentElement.dataset.scheme = name;
  byId("scheme").textContent = name === "dark" ? "Light" : "Dark";
  byId("scheme").setAttribute("aria-label", `${name === "dark" ? "Light" : "Dark"} colours`);
}
scheme(prefersDark.matches ? "dark" : "light");
prefersDark.addEventListener("change", () => scheme(prefersDark.matches ? "dark" : "light"));
byId("scheme").addEventListener("click", () => scheme(document.documentElement.dataset.scheme === "dark" ? "light" : "dark"));

document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|SELECT)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    chooseView(byId("tab-records"));
    byId("filter").focus();
  }
});

/** A bar of the chart leaves the records of its time. */
for (const bar of document.querySelectorAll("#times rect")) {
  bar.tabIndex = 0;
  bar.setAttribute("role", "button");
  bar.setAttribute("aria-label", bar.textContent);
  const choose = () => {
    byId("filter").value = `t >= ${bar.dataset.from} and t < ${bar.dataset.to}`;
    filter();
    chooseView(byId("tab-records"));
  };
  bar.addEventListener("click", choose);
  bar.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } });
}

/** For paper, the lists that readers without scripts have, of the records that the filter leaves. */
addEventListener("beforeprint", () => {
  const kept = new Set(shown);
  let place = 0;
  for (const block of document.querySelectorAll("noscript.block")) {
    const lists = new DOMParser().parseFromString(block.textContent, "text/html").querySelector("ul");
    for (const item of [...lists.children]) if (!kept.has(place++)) item.remove();
    byId("plain").append(lists);
  }
});
addEventListener("afterprint", () => byId("plain").querySelectorAll(":scope > ul").forEach((lists) => lists.remove()));

byId("app").hidden = false;
byId("scheme").hidden = false;
byId("pane-summary").append(byId("summary"));
for (const { i, O } of records.filter((record) => record.k === "o")) {
  const figure = make("figure");
  figure.append(make("figcaption", "", i), ...O.map(pictureOf));
  byId("summary").append(figure);
}
if (byId("shortage")) byId("mistake").before(byId("shortage"));
listStreams();
filter();
byId("list").focus({ preventScroll: true });
