// A pane of rows, of which only those in sight are in the document: ten thousand cost as much as forty.

/** Pixels that browsers give an element at most; longer lists scroll in proportion. */
const TALLEST = 8_000_000;

class Rows {
  /**
   * @param box the scrolling element
   * @param draw makes the element of a row: (number, isChosen) => element
   * @param role the role of a row
   */
  constructor(box, draw, role) {
    this.box = box; this.draw = draw; this.role = role;
    this.count = 0; this.chosen = -1;
    this.space = make("div", "space"); this.seen = make("div", "seen");
    this.space.append(this.seen); box.append(this.space);
    this.onChoose = () => {}; this.onKey = () => false;
    const probe = make("div", "row", "x");
    this.seen.append(probe);
    this.height = probe.getBoundingClientRect().height || 21;
    probe.remove();
    box.addEventListener("scroll", () => this.show(), { passive: true });
    new ResizeObserver(() => this.show()).observe(box);
    box.addEventListener("keydown", (event) => this.key(event));
    this.seen.addEventListener("mousedown", (event) => {
      const row = event.target.closest(".row");
      if (row) this.choose(Number(row.dataset.number), event);
    });
  }

  get tall() { return this.count * this.height; }
  /** How many pixels of rows one pixel of scrolling is. */
  get ratio() {
    const room = this.box.clientHeight;
    return this.tall <= TALLEST ? 1 : (this.tall - room) / (TALLEST - room);
  }
  /** Rows in a page. */
  get page() { return Math.max(1, Math.floor(this.box.clientHeight / this.height) - 1); }

  /** Shows so many rows, the first of them at the top unless `keep`. */
  reset(count, keep) {
    this.count = count;
    if (!keep) { this.chosen = -1; this.box.scrollTop = 0; this.box.scrollLeft = 0; }
    this.space.style.height = `${Math.min(this.tall, TALLEST)}px`;
    this.show();
  }

  /** Puts the rows in sight into the document. */
  show() {
    const top = this.box.scrollTop * this.ratio;
    const first = Math.max(0, Math.floor(top / this.height) - 4);
    const last = Math.min(this.count, Math.ceil((top + this.box.clientHeight) / this.height) + 4);
    const rows = document.createDocumentFragment();
    for (let number = first; number < last; number++) {
      const row = this.draw(number, number === this.chosen);
      row.classList.add("row");
      if (number === this.chosen) row.classList.add("chosen");
      row.id = `${this.box.id}-${number}`;
      row.dataset.number = number;
      if (!row.hasAttribute("role")) row.setAttribute("role", this.role);
      row.setAttribute("aria-selected", number === this.chosen);
      if (this.role === "option") { row.setAttribute("aria-setsize", this.count); row.setAttribute("aria-posinset", number + 1); }
      rows.append(row);
    }
    this.seen.replaceChildren(rows);
    this.seen.style.transform = `translateY(${this.box.scrollTop - top + first * this.height}px)`;
    const active = this.chosen >= first && this.chosen < last ? `${this.box.id}-${this.chosen}` : "";
    if (active) this.box.setAttribute("aria-activedescendant", active);
    else this.box.removeAttribute("aria-activedescendant");
  }

  /** Scrolls a row into sight. */
  reach(number) {
    const top = this.box.scrollTop * this.ratio, at = number * this.height, room = this.box.clientHeight - this.height;
    if (at < top) this.box.scrollTop = at / this.ratio;
    else if (at > top + room) this.box.scrollTop = (at - room) / this.ratio;
    this.show();
  }

  choose(number, event) {
    if (number < 0 || number >= this.count) return;
    this.chosen = number;
    this.reach(number);
    this.onChoose(number, event);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || this.onKey(event)) return;
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: this.page, PageUp: -this.page, Home: -this.count, End: this.count };
    if (!Object.hasOwn(moves, event.key) || !this.count) return;
    event.preventDefault();
    this.choose(Math.min(this.count - 1, Math.max(0, this.chosen + moves[event.key])), event);
  }
}

/** Tabs that arrow keys move between. */
function tabs(list, onChoose) {
  const all = () => [...list.querySelectorAll('[role="tab"]')];
  const choose = (tab, focus) => {
    for (const other of all()) {
      other.setAttribute("aria-selected", other === tab);
      other.tabIndex = other === tab ? 0 : -1;
    }
    if (focus) tab.focus();
    onChoose(tab);
  };
  list.addEventListener("click", (event) => { const tab = event.target.closest('[role="tab"]'); if (tab) choose(tab); });
  list.addEventListener("keydown", (event) => {
    const here = all(), at = here.indexOf(document.activeElement), step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step && at >= 0) { event.preventDefault(); choose(here[(at + step + here.length) % here.length], true); }
  });
  return choose;
}
