// Search the index written by sitegen/search/. The first part must agree with terms.py.

const MAX_TERM = 40;
const FOLDED = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i", ς: "σ" };
const INDIC = "\\u0900-\\u0963\\u0966-\\u0dff";
const BIGRAM_SCRIPTS = "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
const WORD = `[\\p{L}\\p{N}_${INDIC}${BIGRAM_SCRIPTS}]+`;
const CHUNK = new RegExp(`${WORD}(?:[\\-./:'’]${WORD})*`, "gu");
const RUN = new RegExp(`([${BIGRAM_SCRIPTS}]+)`, "u");
const CAMEL_CASE = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

const chunks = (text) => text.normalize("NFC").match(CHUNK) ?? [];

const fold = (word) => word.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().normalize("NFC")
  .replace(/[^\0-\x7f]/g, (letter) => FOLDED[letter] ?? letter);

function bigrams(run) {
  const letters = [...fold(run)];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, i) => letters[i] + letter);
}

const words = (run) => run.split(/[-./:_]+/).flatMap((part) => part.split(CAMEL_CASE)).filter(Boolean).map(fold);

function split(chunk) {
  chunk = chunk.replace(/['’]/g, "");
  const runs = chunk.split(RUN);
  const parts = runs.flatMap((run, i) => (i % 2 ? bigrams(run) : words(run)));
  const whole = parts.length > 1 && runs.length === 1 ? fold(chunk) : "";
  const isShort = (term) => [...term].length <= MAX_TERM;
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
    files.set(path, fetch(path).then((response) => {
      if (!response.ok) throw new Error(path);
      return response.json();
    }));
    files.get(path).catch(() => files.delete(path));
  }
  return files.get(path);
}

// Increasing numbers as differences, five bits in each character.
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
function decodeNumbers(encoded) {
  const decoded = [];
  let number = 0, step = 0, unit = 1;
  for (const digit of encoded) {
    const value = DIGITS.indexOf(digit);
    step += (value % 32) * unit;
    unit *= 32;
    if (value < 32) {
      decoded.push(number += step);
      step = 0;
      unit = 1;
    }
  }
  return decoded;
}

// The pages with a term; "!" precedes those without it, where these are fewer.
function decodePages(field, encoded, size) {
  if (field || encoded[0] !== "!") return decodeNumbers(encoded);
  const excluded = new Set(decodeNumbers(encoded.slice(1)));
  return [...Array(size).keys()].filter((number) => !excluded.has(number));
}

// The number of the file for a term.
const fileOf = (bounds, term) => bounds.findLastIndex((bound) => bound <= term) + 1;

const exactFiles = (word, bounds) => [fileOf(bounds, word)];
// Terms with a common prefix are adjacent; for short prefixes one more file suffices.
const prefixFiles = (word, bounds) => [fileOf(bounds, word), Math.min(fileOf(bounds, word) + 1, fileOf(bounds, `${word}\uffff`))];

function typoFiles(word, bounds) {
  const letters = [...word];
  const variants = letters.flatMap((_, i) => [letters.toSpliced(i, 1), letters.toSpliced(i, 2, letters[i + 1] ?? "", letters[i])]);
  const start = letters.slice(0, 3).join("");
  return [word, start, `${start}\uffff`, ...variants.map((variant) => variant.join(""))].map((term) => fileOf(bounds, term));
}

// One letter inserted, deleted or replaced, or two letters swapped.
function isTypo(word, term) {
  if (Math.abs(word.length - term.length) > 1) return false;
  let i = 0;
  while (i < word.length && word[i] === term[i]) i++;
  const agree = (a, b) => word.slice(i + a) === term.slice(i + b);
  return agree(1, 1) || agree(0, 1) || agree(1, 0) || (agree(2, 2) && word[i] === term[i + 1] && word[i + 1] === term[i]);
}

const exactOrPrefix = (word) => (term) => (term === word ? 1 : term.startsWith(word) && !term.includes(" ") ? 0.7 : 0);
const typo = (word) => (term) => (isTypo(word, term) ? 0.5 : [-1, 0, 1].some((extra) => isTypo(word, term.slice(0, word.length + extra))) ? 0.3 : 0);

// The terms that match a word, with their weights, by level of the index.
const MAX_FILES = 6;
const matchTerms = (levels, word, filesOf, weightOf) => Promise.all(levels.map(async ({ folder, count }) => {
  const bounds = count > 1 ? await load(`${folder}/bounds.json`) : [];
  const numbers = [...new Set(filesOf(word, bounds))].slice(0, MAX_FILES);
  const contents = await Promise.all(numbers.map((number) => load(`${folder}/${number}.json`)));
  return contents.flatMap(Object.entries).map(([term, postings]) => ({ term, postings, weight: weightOf(term) })).filter(({ weight }) => weight);
}));

async function matchWord(levels, word) {
  const exact = await matchTerms(levels, word, exactFiles, exactOrPrefix(word));
  if (exact.some((terms) => terms.some(({ weight }) => weight === 1))) return exact;
  const prefixed = await matchTerms(levels, word, prefixFiles, exactOrPrefix(word));
  if (prefixed.some((terms) => terms.length) || word.length < 4) return prefixed;
  return matchTerms(levels, word, typoFiles, typo(word));
}

const FIELD_WEIGHTS = [1, 2, 6, 16];  // once in the text, often, in a heading, in the title
const FULL_TITLE = 2.5, TITLE_PREFIX = 0.6;  // times the weight of the title

// The words of a query, and identifiers and titles that improve the rank.
async function matchQuery(levels, query) {
  const parsed = chunks(query).map(split), title = terms(query).join(" ").slice(0, MAX_TERM);
  const titleWeight = (term) => (term === `${title} ` ? FULL_TITLE : term.includes(" ") && term.startsWith(title) ? TITLE_PREFIX : 0);
  const wholes = parsed.map(({ whole }) => whole).filter(Boolean);
  const [words, extras] = await Promise.all([
    Promise.all(parsed.flatMap(({ parts }) => parts).map(async (word) => ({ word, levels: await matchWord(levels, word) }))),
    Promise.all([
      ...wholes.map(async (word) => ({ word, levels: await matchTerms(levels, word, exactFiles, exactOrPrefix(word)) })),
      matchTerms(levels, title.split(" ")[0], exactFiles, titleWeight).then((terms) => ({ levels: terms })),
    ]),
  ]);
  return { words, extras };
}

// The weight of each page for a word: its best term in its best field.
function weigh(word, levels) {
  const weights = new Map();
  word.levels.forEach((terms, depth) => {
    for (const { postings, weight } of terms) {
      postings.split(".").forEach((encoded, field) => {
        for (const number of decodePages(field, encoded, levels[depth].size)) {
          if (levels[depth].superseded.has(number)) continue;
          const page = `${depth} ${number}`;
          weights.set(page, Math.max(weights.get(page) ?? 0, FIELD_WEIGHTS[field] * weight));
        }
      });
    }
  });
  return weights;
}

async function search(query, withOlder) {
  const root = await load(ROOT);
  const levels = root.levels.map(([key, count, superseded, size]) => ({ folder: `/search/${key}`, count, size, superseded: new Set(decodeNumbers(superseded)) }));
  const { words, extras } = await matchQuery(levels, query);
  const scores = new Map();
  const add = (page, weight) => {
    const [matched, score] = scores.get(page) ?? [0, 0];
    scores.set(page, [matched + 1, score + weight]);
  };
  for (const word of words) {
    const weights = weigh(word, levels);
    const idf = Math.log(1 + root.pages / weights.size);
    for (const [page, weight] of weights) add(page, weight * idf);
  }
  const listed = await listedWith(words, withOlder, add);
  for (const extra of extras) {
    for (const [page, weight] of weigh(extra, levels)) if (scores.has(page)) scores.get(page)[1] += weight;
  }
  const bestCount = Math.max(0, ...[...scores.values()].map(([matched]) => matched));
  const ranked = [...scores].filter(([, [matched]]) => matched === bestCount).sort(([, a], [, b]) => b[1] - a[1]);
  return {
    // The word of the query for each matching term.
    wordByTerm: new Map([...words, ...extras].flatMap(({ word, levels }) => levels.flat().map(({ term }) => [term, word]))),
    wordCount: words.length,
    results: ranked.map(([page]) => listed.get(page) ?? pageAt(levels, root.pagesOfBlock, page)),
  };
}

const pageAt = (levels, size, page) => async () => {
  const [depth, number] = page.split(" ");
  const block = await load(`${levels[depth].folder}/pages/${Math.floor(number / size)}.json`);
  const [href, title, where] = block[number % size];
  return { href, title, where, twin: href.replace(/(\/index)?\/$/, "$1$1.json") };
};

// Incidents and the API reference are not indexed but read: on the search page all of them.
async function listedWith(words, withOlder, add) {
  const [{ older, incidents }, reference] = await Promise.all(["incidents", "reference"].map((name) => load(`/search/${name}.json`)));
  const parts = withOlder ? await Promise.all([...Array(older).keys()].map((number) => load(`/search/incidents/${number}.json`))) : [];
  const day = (at) => new Date(at).toLocaleDateString("en-GB", { dateStyle: "medium", timeZone: "UTC" });
  const rows = [
    ...[...parts.flat(), ...incidents].reverse().map(([href, title, at]) => [href, title, "", `Incident · ${day(at)}`]),
    ...reference.map(([href, title, summary, path]) => [href, title, summary, `${path} · ${summary}`]),
  ];
  const pages = new Map();
  for (const [href, title, summary, where] of rows) {
    const rowTerms = terms(`${title} ${summary}`);
    for (const { word } of words) {
      const weight = Math.max(0, ...rowTerms.map(exactOrPrefix(word)));
      if (weight) add(href, FIELD_WEIGHTS[2] * weight);
    }
    pages.set(href, async () => ({ href, title, where }));
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

// The paragraphs of a document with their headings. Long ones are cut off, since some
// patterns above take quadratic time.
const MAX_PASSAGE = 4000;
function passages(markdown, title) {
  const passages = [], idCounts = new Map();
  let fence = "", heading = { text: "", id: "" }, lines = [];
  const finish = () => {
    const text = plain(lines.join("\n").slice(0, MAX_PASSAGE));
    if (text) passages.push({ heading, text });
    lines = [];
  };
  for (const line of markdown.split("\n")) {
    const mark = line.match(/^ {0,3}(`{3,}|~{3,})/)?.[1];
    const opening = !fence && line.slice(0, MAX_PASSAGE).match(/^ {0,3}#{1,6}[ \t]+(.*)$/)?.[1].replace(/ #+ *$/, "");
    if (mark && (!fence || mark.startsWith(fence))) {
      fence = fence ? "" : mark;
      finish();
    } else if (opening) {
      finish();
      const explicitId = opening.match(/\{#([\w-]+)\}/)?.[1];
      const text = plain(opening.replace(/\s*\{#[\w-]+\}/, ""));
      const id = explicitId ?? slug(text), count = idCounts.get(id) ?? 0;
      if (text === title && !passages.length) continue;
      idCounts.set(id, count + 1);
      heading = { text, id: count ? `${id}-${count}` : id };
      passages.push({ heading, text: "" });
    } else if (line.trim() || fence) lines.push(line);
    else finish();
  }
  finish();
  return passages;
}

// The passage with most words; the first if the title has all.
function bestPassage(markdown, title, { wordByTerm, wordCount }) {
  const countWords = (text) => new Set(terms(text).map((term) => wordByTerm.get(term)).filter(Boolean)).size;
  const all = passages(markdown, title), first = { heading: {}, text: all.find(({ text }) => text)?.text };
  if (countWords(title) >= wordCount) return first;
  const scores = all.map(({ heading, text }) => countWords(heading.text) * 1.5 + countWords(text) + (text ? 0.1 : 0));
  const best = Math.max(...scores);
  return best > 1 ? all[scores.indexOf(best)] : first;
}

// The text as nodes, with the terms of the query in <mark>.
function highlighted(text, wordByTerm) {
  const isHit = (part) => terms(part).some((term) => wordByTerm.has(term));
  const nodes = [];
  let from = 0;
  for (const { 0: chunk, index } of text.matchAll(CHUNK)) {
    let at = index;
    for (const run of isHit(chunk) ? chunk.split(RUN) : []) {
      if (run && (isHit(run) || !RUN.test(chunk))) {
        nodes.push(text.slice(from, at), create("mark", {}, run));
        from = at + run.length;
      }
      at += run.length;
    }
  }
  return [...nodes, text.slice(from)];
}

const CONTEXT = 60, LENGTH = 180;
function excerpt(text, wordByTerm) {
  const hit = [...text.matchAll(CHUNK)].find(({ 0: chunk }) => terms(chunk).some((term) => wordByTerm.has(term)))?.index ?? 0;
  const start = hit < CONTEXT ? 0 : text.indexOf(" ", hit - CONTEXT) + 1;
  const cut = text.slice(start, start + LENGTH);
  return (start ? "… " : "") + (start + LENGTH < text.length ? `${cut.replace(/\s\S*$/, "")} …` : cut);
}

const SEARCH_DELAY = 120, EXCERPT_DELAY = 180;
const wait = (time) => new Promise((resolve) => { setTimeout(resolve, time); });
const create = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// The element of a result, and a function that adds an excerpt.
function createResult({ href, title, where, twin }, answer) {
  const link = create("a", { href }, create("bdi", {}, ...highlighted(title, answer.wordByTerm)));
  const item = create("li", {}, link, create("p", { className: "where" }, where));
  const addExcerpt = async () => {
    if (!twin) return;
    const { data } = await load(twin);
    const { heading, text } = bestPassage(data.content, title, answer);
    const shown = text || data.summary;
    if (heading.id) {
      link.href = `${href}#${encodeURIComponent(heading.id)}`;
      link.append(create("span", {}, " › ", create("bdi", {}, ...highlighted(heading.text, answer.wordByTerm))));
    }
    if (shown) item.append(create("p", {}, ...highlighted(excerpt(shown, answer.wordByTerm), answer.wordByTerm)));
  };
  return { item, addExcerpt };
}

export function attach(box, input) {
  const isPage = box.matches("main *");
  const PAGE_SIZE = isPage ? 10 : 5;
  const status = create("p", { className: "found" });
  status.setAttribute("role", "status");
  const list = create("ol", {});
  const more = create(isPage ? "button" : "a", { className: "more", hidden: true });
  const panel = create("div", { className: "results", hidden: true, tabIndex: -1 }, status, list, more);
  box.append(panel);
  let latestSearch = 0, shown = PAGE_SIZE;

  const address = () => `/search/?q=${encodeURIComponent(input.value.trim())}`;
  const close = () => { panel.hidden = !isPage || !input.value.trim(); };

  async function show(query, searchId) {
    const answer = await search(query, isPage);
    const results = await Promise.all(answer.results.slice(0, shown).map((result) => result()));
    if (searchId !== latestSearch) return;
    const count = answer.results.length;
    status.textContent = count ? `${count} ${count === 1 ? "result" : "results"}` : `No results for “${query}”.`;
    const items = results.map((result) => createResult(result, answer));
    list.replaceChildren(...items.map(({ item }) => item));
    more.hidden = count <= shown;
    more.textContent = isPage ? "Show more" : `All ${count} results`;
    if (!isPage) more.href = address();
    panel.hidden = false;
    await wait(EXCERPT_DELAY);
    if (searchId === latestSearch) await Promise.allSettled(items.map(({ addExcerpt }) => addExcerpt()));
  }

  async function update() {
    const searchId = ++latestSearch, query = input.value.trim();
    if (isPage) history.replaceState(null, "", query ? address() : "/search/");
    if (!terms(query).length) {
      close();
      list.replaceChildren();
      status.textContent = "";
      more.hidden = true;
      return;
    }
    await wait(SEARCH_DELAY);
    if (searchId !== latestSearch) return;
    try {
      await show(query, searchId).catch(() => {
        // The site has been rebuilt since the root was loaded.
        files.delete(ROOT);
        return show(query, searchId);
      });
    } catch {
      if (searchId !== latestSearch) return;
      status.textContent = "The search could not be loaded. Please try again.";
      panel.hidden = false;
    }
  }

  input.addEventListener("input", () => { shown = PAGE_SIZE; update(); });
  if (isPage) more.addEventListener("click", () => { shown += PAGE_SIZE; update(); });
  box.addEventListener("focusout", (event) => { if (!box.contains(event.relatedTarget)) close(); });
  input.addEventListener("focus", () => { if (list.children.length) panel.hidden = false; });

  box.addEventListener("keydown", (event) => {
    const focusable = [input, ...panel.querySelectorAll("a:not([hidden]), button:not([hidden])")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step && !panel.hidden && focusable[focusable.indexOf(document.activeElement) + step];
    if (next) next.focus();
    else if (event.key === "Escape" && !panel.hidden && !isPage) {
      input.focus();
      panel.hidden = true;
    } else return;
    event.preventDefault();
  });

  if (isPage) input.value ||= new URLSearchParams(location.search).get("q") ?? "";
  if (input.value) update();
}
