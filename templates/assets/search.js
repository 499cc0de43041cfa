// Search: the words of the query are looked up in the files that sitegen/search.py
// writes. The first part has the rules of sitegen/terms.py; the two must agree.

const LONGEST = 40;
const PLAIN = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i", ς: "σ" };
const SIGNS = "\\u0900-\\u0963\\u0966-\\u0dff";
const PAIRED = "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
const WORD = `[\\p{L}\\p{N}_${SIGNS}${PAIRED}]+`;
const CHUNK = new RegExp(`${WORD}(?:[\\-./:'’]${WORD})*`, "gu");
const RUN = new RegExp(`([${PAIRED}]+)`, "u");
const HUMP = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

const chunks = (text) => text.normalize("NFC").match(CHUNK) ?? [];

const fold = (word) => word.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().normalize("NFC")
  .replace(/[^\0-\x7f]/g, (letter) => PLAIN[letter] ?? letter);

function pairs(run) {
  const letters = [...fold(run)];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, i) => letters[i] + letter);
}

const words = (run) => run.split(/[-./:_]+/).flatMap((part) => part.split(HUMP)).filter(Boolean).map(fold);

function split(chunk) {
  chunk = chunk.replace(/['’]/g, "");
  const runs = chunk.split(RUN);
  const parts = runs.flatMap((run, i) => (i % 2 ? pairs(run) : words(run)));
  const whole = parts.length > 1 && runs.length === 1 ? fold(chunk) : "";
  const isShort = (term) => [...term].length <= LONGEST;
  return { whole: isShort(whole) ? whole : "", parts: parts.filter(isShort) };
}

export const terms = (text) => chunks(text).flatMap((chunk) => {
  const { whole, parts } = split(chunk);
  return whole ? [...parts, whole] : parts;
});

const ROOT = "/search/root.json";
const files = new Map();

function load(path) {
  if (!files.has(path)) {
    files.set(path, fetch(path).then((answer) => {
      if (!answer.ok) throw new Error(path);
      return answer.json();
    }));
    files.get(path).catch(() => files.delete(path));
  }
  return files.get(path);
}

// Growing numbers, told as their differences with five bits in a character.
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
function numbers(steps) {
  const found = [];
  let number = 0, step = 0, unit = 1;
  for (const digit of steps) {
    const value = DIGITS.indexOf(digit);
    step += (value % 32) * unit;
    unit *= 32;
    if (value < 32) {
      found.push(number += step);
      step = 0;
      unit = 1;
    }
  }
  return found;
}

// What most pages have is told, behind a mark, by those that lack it.
function pagesAt(place, told, size) {
  if (place || told[0] !== "!") return numbers(told);
  const lacking = new Set(numbers(told.slice(1)));
  return [...Array(size).keys()].filter((number) => !lacking.has(number));
}

// The number of the file in which a term stands, or would.
const placeOf = (bounds, term) => bounds.findLastIndex((bound) => bound <= term) + 1;

const here = (word, bounds) => [placeOf(bounds, word)];
// What begins with a word stands together; of a short beginning the next file will do.
const beyond = (word, bounds) => [placeOf(bounds, word), Math.min(placeOf(bounds, word) + 1, placeOf(bounds, `${word}\uffff`))];

function slips(word, bounds) {
  const letters = [...word];
  const near = letters.flatMap((_, i) => [letters.toSpliced(i, 1), letters.toSpliced(i, 2, letters[i + 1] ?? "", letters[i])]);
  const start = letters.slice(0, 3).join("");
  return [word, start, `${start}\uffff`, ...near.map((each) => each.join(""))].map((each) => placeOf(bounds, each));
}

// One letter more, less or other, or two letters swapped.
function isSlip(word, term) {
  if (Math.abs(word.length - term.length) > 1) return false;
  let i = 0;
  while (i < word.length && word[i] === term[i]) i++;
  const agree = (a, b) => word.slice(i + a) === term.slice(i + b);
  return agree(1, 1) || agree(0, 1) || agree(1, 0) || (agree(2, 2) && word[i] === term[i + 1] && word[i + 1] === term[i]);
}

const asTyped = (word) => (term) => (term === word ? 1 : term.startsWith(word) && !term.includes(" ") ? 0.7 : 0);
const asMeant = (word) => (term) => (isSlip(word, term) ? 0.5 : [-1, 0, 1].some((more) => isSlip(word, term.slice(0, word.length + more))) ? 0.3 : 0);

// For each level the terms that a word may mean, each with its share of the weight.
const MOST_FILES = 6;
const meanings = (levels, word, places, share) => Promise.all(levels.map(async ({ folder, count }) => {
  const bounds = count > 1 ? await load(`${folder}/bounds.json`) : [];
  const numbers = [...new Set(places(word, bounds))].slice(0, MOST_FILES);
  const found = await Promise.all(numbers.map((number) => load(`${folder}/${number}.json`)));
  return found.flatMap(Object.entries).map(([term, told]) => ({ term, told, share: share(term) })).filter((each) => each.share);
}));

async function meant(levels, word) {
  const typed = await meanings(levels, word, here, asTyped(word));
  if (typed.some((each) => each.some(({ share }) => share === 1))) return typed;
  const begun = await meanings(levels, word, beyond, asTyped(word));
  if (begun.some((each) => each.length) || word.length < 4) return begun;
  return meanings(levels, word, slips, asMeant(word));
}

const PLACES = [1, 2, 6, 16];  // once in the text, often, in a heading, in the title
const WHOLE_TITLE = 2.5, START_OF_TITLE = 0.6;  // times the title's weight

// The words that a page should have; and what it is the better for: an identifier as
// it is written, a title as it is typed.
async function read(levels, query) {
  const cut = chunks(query).map(split), title = terms(query).join(" ").slice(0, LONGEST);
  const isTitle = (term) => (term === `${title} ` ? WHOLE_TITLE : term.includes(" ") && term.startsWith(title) ? START_OF_TITLE : 0);
  const wholes = cut.map(({ whole }) => whole).filter(Boolean);
  const [words, extras] = await Promise.all([
    Promise.all(cut.flatMap(({ parts }) => parts).map(async (word) => ({ word, levels: await meant(levels, word) }))),
    Promise.all([
      ...wholes.map(async (word) => ({ word, levels: await meanings(levels, word, here, asTyped(word)) })),
      meanings(levels, title.split(" ")[0], here, isTitle).then((found) => ({ levels: found })),
    ]),
  ]);
  return { words, extras };
}

// The weight of each page for one word: by its best term and its best place.
function weigh(word, levels) {
  const weights = new Map();
  word.levels.forEach((meanings, depth) => {
    for (const { told, share } of meanings) {
      told.split(".").forEach((steps, place) => {
        for (const number of pagesAt(place, steps, levels[depth].size)) {
          if (levels[depth].superseded.has(number)) continue;
          const page = `${depth} ${number}`;
          weights.set(page, Math.max(weights.get(page) ?? 0, PLACES[place] * share));
        }
      });
    }
  });
  return weights;
}

async function search(query, more) {
  const root = await load(ROOT);
  const levels = root.levels.map(([key, count, superseded, size]) => ({ folder: `/search/${key}`, count, size, superseded: new Set(numbers(superseded)) }));
  const { words, extras } = await read(levels, query);
  const scores = new Map();
  const add = (page, weight) => {
    const [matched, score] = scores.get(page) ?? [0, 0];
    scores.set(page, [matched + 1, score + weight]);
  };
  for (const word of words) {
    const weights = weigh(word, levels);
    const rarity = Math.log(1 + root.pages / weights.size);
    for (const [page, weight] of weights) add(page, weight * rarity);
  }
  const incidents = await incidentsWith(words, more, add);
  for (const extra of extras) {
    for (const [page, weight] of weigh(extra, levels)) if (scores.has(page)) scores.get(page)[1] += weight;
  }
  const most = Math.max(0, ...[...scores.values()].map(([matched]) => matched));
  const ranked = [...scores].filter(([, [matched]]) => matched === most).sort(([, a], [, b]) => b[1] - a[1]);
  return {
    // Which word each term on a page stands for.
    meanings: new Map([...words, ...extras].flatMap(({ word, levels }) => levels.flat().map(({ term }) => [term, word]))),
    all: words.length,
    found: ranked.map(([page]) => incidents.get(page) ?? pageAt(levels, root.pagesOfBlock, page)),
  };
}

const pageAt = (levels, size, page) => async () => {
  const [depth, number] = page.split(" ");
  const block = await load(`${levels[depth].folder}/pages/${Math.floor(number / size)}.json`);
  const [href, title, where] = block[number % size];
  return { href, title, where, twin: href.replace(/(\/index)?\/$/, "$1$1.json") };
};

// The titles of incidents are few enough to be read; all of them on the page.
async function incidentsWith(found, more, add) {
  const { older, incidents } = await load("/search/incidents.json");
  const parts = more ? await Promise.all([...Array(older).keys()].map((number) => load(`/search/incidents/${number}.json`))) : [];
  const pages = new Map();
  for (const [href, title, at] of [...parts.flat(), ...incidents].reverse()) {
    const own = terms(title);
    for (const { word } of found) {
      const share = Math.max(0, ...own.map(asTyped(word)));
      if (share) add(href, PLACES[2] * share);
    }
    const day = new Date(at).toLocaleDateString("en-GB", { dateStyle: "medium", timeZone: "UTC" });
    pages.set(href, async () => ({ href, title, where: `Incident · ${day}` }));
  }
  return pages;
}

const slug = (text) => text.normalize("NFC").toLowerCase().replace(/['’]/g, "").replace(/[^\p{L}\p{M}\p{N}_]+/gu, " ").trim().split(" ").join("-") || "section";

const plain = (markdown) => markdown
  .replace(/\[\^[^\s[\]]+\]:?/g, "")
  .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
  .replace(/^[ \t]*(?:>[ \t]*)*(?:\[!\w+\]|[*+-] |\d+[.)] )?/gm, "")
  .replace(/^[ \t|:-]+$/gm, "")
  .replace(/`+|\*\*|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)/g, "")
  .replace(/[\s|]+/g, " ").trim();

// The paragraphs of a document, each with the heading above it; of an endless one the
// beginning, since some of the patterns above take their square of time.
const LONG = 4000;
function passages(markdown, title) {
  const found = [], taken = new Map();
  let fence = "", heading = { text: "", id: "" }, lines = [];
  const finish = () => {
    const text = plain(lines.join("\n").slice(0, LONG));
    if (text) found.push({ heading, text });
    lines = [];
  };
  for (const line of markdown.split("\n")) {
    const mark = line.match(/^ {0,3}(`{3,}|~{3,})/)?.[1];
    const opening = !fence && line.slice(0, LONG).match(/^ {0,3}#{1,6}[ \t]+(.*)$/)?.[1].replace(/ #+ *$/, "");
    if (mark && (!fence || mark.startsWith(fence))) {
      fence = fence ? "" : mark;
      finish();
    } else if (opening) {
      finish();
      const own = opening.match(/\{#([\w-]+)\}/)?.[1];
      const text = plain(opening.replace(/\s*\{#[\w-]+\}/, ""));
      const id = own ?? slug(text), count = taken.get(id) ?? 0;
      if (text === title && !found.length) continue;
      taken.set(id, count + 1);
      heading = { text, id: count ? `${id}-${count}` : id };
      found.push({ heading, text: "" });
    } else if (line.trim() || fence) lines.push(line);
    else finish();
  }
  finish();
  return found;
}

// Where most of the words stand; a title that has all of them needs no heading.
function best(markdown, title, { meanings, all }) {
  const has = (text) => new Set(terms(text).map((term) => meanings.get(term)).filter(Boolean)).size;
  const found = passages(markdown, title), first = { heading: {}, text: found.find(({ text }) => text)?.text };
  if (has(title) >= all) return first;
  const scores = found.map(({ heading, text }) => has(heading.text) * 1.5 + has(text) + (text ? 0.1 : 0));
  const most = Math.max(...scores);
  return most > 1 ? found[scores.indexOf(most)] : first;
}

// A text as nodes, in which what was searched for is marked.
function marked(text, meanings) {
  const isHit = (part) => terms(part).some((term) => meanings.has(term));
  const nodes = [];
  let from = 0;
  for (const { 0: chunk, index } of text.matchAll(CHUNK)) {
    let at = index;
    for (const run of isHit(chunk) ? chunk.split(RUN) : []) {
      if (run && (isHit(run) || !RUN.test(chunk))) {
        nodes.push(text.slice(from, at), made("mark", {}, run));
        from = at + run.length;
      }
      at += run.length;
    }
  }
  return [...nodes, text.slice(from)];
}

const BEFORE = 60, LENGTH = 180;
function excerpt(text, meanings) {
  const hit = [...text.matchAll(CHUNK)].find(({ 0: chunk }) => terms(chunk).some((term) => meanings.has(term)))?.index ?? 0;
  const start = hit < BEFORE ? 0 : text.indexOf(" ", hit - BEFORE) + 1;
  const cut = text.slice(start, start + LENGTH);
  return (start ? "… " : "") + (start + LENGTH < text.length ? `${cut.replace(/\s\S*$/, "")} …` : cut);
}

const STILL = 120, CALM = 180;
const wait = (time) => new Promise((done) => { setTimeout(done, time); });
const made = (name, members, ...children) => {
  const element = Object.assign(document.createElement(name), members);
  element.append(...children);
  return element;
};

// A result, and what will tell where in the page the words are.
function lineOf({ href, title, where, twin }, answer) {
  const link = made("a", { href }, made("bdi", {}, ...marked(title, answer.meanings)));
  const line = made("li", {}, link, made("p", { className: "where" }, where));
  const tell = async () => {
    if (!twin) return;
    const { data } = await load(twin);
    const { heading, text } = best(data.content, title, answer);
    const shown = text || data.summary;
    if (heading.id) {
      link.href = `${href}#${encodeURIComponent(heading.id)}`;
      link.append(made("span", {}, " › ", made("bdi", {}, ...marked(heading.text, answer.meanings))));
    }
    if (shown) line.append(made("p", {}, ...marked(excerpt(shown, answer.meanings), answer.meanings)));
  };
  return { line, tell };
}

export function attach(box, input) {
  const isPage = box.matches("main *");
  const atOnce = isPage ? 10 : 5;
  const status = made("p", { className: "found" });
  status.setAttribute("role", "status");
  const list = made("ol", {});
  const more = made(isPage ? "button" : "a", { className: "more", hidden: true });
  const panel = made("div", { className: "results", hidden: true, tabIndex: -1 }, status, list, more);
  box.append(panel);
  let turn = 0, shown = atOnce;

  const address = () => `/search/?q=${encodeURIComponent(input.value.trim())}`;
  const close = () => { panel.hidden = !isPage || !input.value.trim(); };

  async function show(query, own) {
    const answer = await search(query, isPage);
    const results = await Promise.all(answer.found.slice(0, shown).map((result) => result()));
    if (own !== turn) return;
    const count = answer.found.length;
    status.textContent = count ? `${count} ${count === 1 ? "result" : "results"}` : `No results for “${query}”.`;
    const lines = results.map((result) => lineOf(result, answer));
    list.replaceChildren(...lines.map(({ line }) => line));
    more.hidden = count <= shown;
    more.textContent = isPage ? "Show more" : `All ${count} results`;
    if (!isPage) more.href = address();
    panel.hidden = false;
    await wait(CALM);
    if (own === turn) await Promise.allSettled(lines.map(({ tell }) => tell()));
  }

  async function look() {
    const own = ++turn, query = input.value.trim();
    if (isPage) history.replaceState(null, "", query ? address() : "/search/");
    if (!terms(query).length) {
      close();
      list.replaceChildren();
      status.textContent = "";
      more.hidden = true;
      return;
    }
    await wait(STILL);
    if (own !== turn) return;
    try {
      await show(query, own).catch(() => {
        // The site was built anew since the root was read.
        files.delete(ROOT);
        return show(query, own);
      });
    } catch {
      if (own !== turn) return;
      status.textContent = "The search could not be loaded. Please try again.";
      panel.hidden = false;
    }
  }

  input.addEventListener("input", () => { shown = atOnce; look(); });
  if (isPage) more.addEventListener("click", () => { shown += atOnce; look(); });
  box.addEventListener("focusout", (event) => { if (!box.contains(event.relatedTarget)) close(); });
  input.addEventListener("focus", () => { if (list.children.length) panel.hidden = false; });

  box.addEventListener("keydown", (event) => {
    const stops = [input, ...panel.querySelectorAll("a:not([hidden]), button:not([hidden])")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step && !panel.hidden && stops[stops.indexOf(document.activeElement) + step];
    if (next) next.focus();
    else if (event.key === "Escape" && !panel.hidden && !isPage) {
      input.focus();
      panel.hidden = true;
    } else return;
    event.preventDefault();
  });

  if (isPage) input.value ||= new URLSearchParams(location.search).get("q") ?? "";
  if (input.value) look();
}
