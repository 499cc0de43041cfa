// Search the index written by sitegen/search/. The first part must agree with terms.py.

const MAX_TERM = 40;
const FOLDED = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ı: "i", ς: "σ", "\u0671": "\u0627", "\u0649": "\u064a", "\u0629": "\u0647", "\u0901": "\u0902" };
for (const zero of [0x660, 0x6f0, 0x966]) for (let n = 0; n < 10; n++) FOLDED[String.fromCharCode(zero + n)] = String(n);
const MARKS = "\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed";
const DIACRITICS = new RegExp(`[${MARKS}\\u093c]`, "g");
const NASALS = /[\u0919\u091e\u0923\u0928\u092e]\u094d/g;
const ARTICLE = /^(?:\u0627\u0644(?=..)|(?:[\u0648\u0628\u0643\u0641]\u0627\u0644|\u0644\u0644)(?=...))/u;
const INVISIBLE = /[\xad\u200c-\u200f\u2060\ufeff]/g;
const INDIC = "\\u0900-\\u0963\\u0966-\\u0dff";
const BIGRAM_SCRIPTS = "\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3005-\\u3007\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\uff66-\\uff9f\\u{20000}-\\u{3ffff}";
const LETTERS = `\\p{L}\\p{N}_${INDIC}${BIGRAM_SCRIPTS}`, WORD = `[${LETTERS}][${LETTERS}${MARKS}]*`;
const QUOTES = "'’\\u02bc\\u05f3\\u05f4", APOSTROPHES = new RegExp(`[${QUOTES}]`, "g");
const ELISION = new RegExp(`^[\\-./:_\\u05be${QUOTES}${MARKS}]*(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu|un|(?:a|da|de|ne|su)ll)[${QUOTES}](?=(?:(?!\\p{Nd})[\\p{L}\\p{N}]){3})`, "iu");
const CHUNK = new RegExp(`${WORD}(?:(?:::|[\\-./:\\u05be${QUOTES}])${WORD})*`, "gu");
const RUN = new RegExp(`([${BIGRAM_SCRIPTS}]+)`, "u");
const CAMEL_CASE = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const SEPARATORS = /[-./:_\u05be]+/, OUTER_SEPARATORS = /[./:]+/;
const OMITTED_SEPARATORS = /(?<![0-9])[-./:_\u05be]+|[-./:_\u05be]+(?![0-9])/g;

const chunks = (text) => text.normalize("NFC").replace(INVISIBLE, "").match(CHUNK) ?? [];

const fold = (word) => word.normalize("NFKD").replace(DIACRITICS, "").toLowerCase().normalize("NFC")
  .replace(/[^\0-\x7f]/g, (letter) => FOLDED[letter] ?? letter).replace(NASALS, "\u0902").replace(ARTICLE, "");

function bigrams(run) {
  const letters = [...fold(run)];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, i) => letters[i] + letter);
}

const splitWords = (run) => run.split(SEPARATORS).flatMap((part) => part.split(CAMEL_CASE)).filter(Boolean).map(fold).filter(Boolean);
const withoutSeparators = (identifier) => fold(identifier.replace(OMITTED_SEPARATORS, ""));

// The words of a chunk, the identifiers in it that are several words, and the whole.
function split(chunk) {
  chunk = chunk.replace(ELISION, "").replace(APOSTROPHES, "");
  const runs = chunk.split(RUN);
  const all = runs.flatMap((run, i) => (i % 2 ? bigrams(run) : splitWords(run)));
  const isShort = (term) => [...term].length <= MAX_TERM;
  const words = all.filter(isShort);
  if (all.length < 2 || runs.length > 1) return { words, identifiers: [], whole: "" };
  const parts = [SEPARATORS, OUTER_SEPARATORS].flatMap((separators) => chunk.split(separators)).filter(Boolean);
  const found = new Set([...parts, chunk].map(withoutSeparators));
  const whole = withoutSeparators(chunk);
  return { words, identifiers: [...found].filter((term) => term && isShort(term) && !all.includes(term)), whole: isShort(whole) ? whole : "" };
}

export const terms = (text) => chunks(text).flatMap((chunk) => {
  const { words, identifiers } = split(chunk);
  return [...words, ...identifiers];
});

// Two neighbouring words as one: "front matter" is also "frontmatter".
function join(word, following) {
  const isJoined = [word, following].every((each) => each.length > 1 && !RUN.test(each));
  return isJoined && word.length + following.length <= MAX_TERM ? word + following : "";
}

// The path of the site on its host, without the final slash: this file is in /assets/.
const SITE_PATH = new URL("..", import.meta.url).pathname.slice(0, -1);

// The number is that of the format of the index: a page of before finds nothing here.
const ROOT = "/search/root-7.json", STATUS = "/search/status-7.json", OLDER = "/search/incidents/index.json";
const files = new Map();
let requests = 0;

function load(path, read = (response) => response.json()) {
  if (!files.has(path)) {
    requests++;
    files.set(path, fetch(SITE_PATH + path).then((response) => {
      if (!response.ok) throw new Error(path);
      return read(response);
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

// The texts with a term; "!" precedes those without it, where these are fewer.
function decodeTexts(field, encoded, size) {
  if (field || encoded[0] !== "!") return decodeNumbers(encoded);
  const excluded = new Set(decodeNumbers(encoded.slice(1)));
  return [...Array(size).keys()].filter((number) => !excluded.has(number));
}

// A level: where its files are, and the page of each text. A long page is several texts.
async function openLevel({ key, head, files, pages, pagesOfBlock, continuations, superseded }) {
  const folder = `/search/${key}`;
  return { folder, files, head: head ?? await load(`${folder}/head.json`), pagesOfBlock, ...numberPages(pages, continuations), superseded: new Set(decodeNumbers(superseded)) };
}

function numberPages(count, continuations) {
  const continued = new Set(decodeNumbers(continuations)), pageOf = [];
  for (let page = -1; pageOf.length < count + continued.size;) pageOf.push(continued.has(pageOf.length) ? page : ++page);
  return { pageOf, pageCount: count };
}

// Services and incidents; older incidents only on the search page.
async function openStatus(withOlder) {
  const [newest, older] = await Promise.all([load(STATUS), withOlder ? load(OLDER) : []]);
  const files = await Promise.all(older.map((id) => load(`/search/incidents/${id}.json`)));
  return [newest, ...files].map((head) => ({ files: 1, head, superseded: new Set(), ...numberPages(head.pages.length, "") }));
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
const matchTerms = (levels, word, filesOf, weightOf) => Promise.all(levels.map(async ({ folder, files, head }) => {
  const numbers = [...new Set(files > 1 ? filesOf(word, head.bounds) : [])].slice(0, MAX_FILES);
  const contents = files > 1 ? await Promise.all(numbers.map((number) => load(`${folder}/${number}.json`))) : [head.terms];
  return contents.flatMap(Object.entries).map(([term, postings]) => ({ term, postings, weight: weightOf(term) })).filter(({ weight }) => weight);
}));

const isFound = (levels) => levels.some((terms) => terms.length);
const matchStart = (levels, word) => matchTerms(levels, word, exactFiles, exactOrPrefix(word));

// Return the word, or the two words that it is joined of, with the terms of each.
async function matchWord(levels, word, isCovered) {
  const exact = await matchStart(levels, word);
  if (isCovered || exact.some((terms) => terms.some(({ weight }) => weight === 1))) return [{ word, levels: exact }];
  const prefixed = await matchTerms(levels, word, prefixFiles, exactOrPrefix(word));
  if (isFound(prefixed) || word.length < 4) return [{ word, levels: prefixed }];
  return await matchHalves(levels, word) ?? [{ word, levels: await matchTerms(levels, word, typoFiles, typo(word)) }];
}

const MIN_HALF = 3, MAX_HALVES = 2;
async function matchHalves(levels, word) {
  const isHalf = (term) => (term.length >= MIN_HALF && word.length - term.length >= MIN_HALF && word.startsWith(term) ? 1 : 0);
  const starts = await matchTerms(levels, word, exactFiles, isHalf);
  const halves = [...new Set(starts.flat().map(({ term }) => term))].sort((a, b) => b.length - a.length).slice(0, MAX_HALVES);
  for (const half of halves) {
    const rest = word.slice(half.length), found = await matchStart(levels, rest);
    if (isFound(found)) return [{ word: half, levels: starts.map((terms) => terms.filter(({ term }) => term === half)) }, { word: rest, levels: found }];
  }
  return null;
}

const FIELD_WEIGHTS = [1, 2, 6, 16];  // once in the text, often, in a heading, in the title
const FULL_TITLE = 2.5, TITLE_PREFIX = 0.6;  // times the weight of the title
const ADJACENT = 5;  // for words that are one identifier, or next to each other

// The words of a query without those that most pages contain, and what stands for several
// words: identifiers in any spelling, and words that others write as one.
function parseQuery(levels, query) {
  const parsed = chunks(query).map(split), all = parsed.flatMap(({ words }) => words);
  const common = new Set(levels.flatMap(({ head }) => head.common ?? []));
  const isLeftOut = (word) => common.has(word) && !all.every((each) => common.has(each));
  const spans = [];
  let position = 0;
  for (const { words, whole } of parsed) {
    if (whole) spans.push({ term: whole, covered: words });
    position += words.length;
    const joined = position && position < all.length ? join(all[position - 1], all[position]) : "";
    if (joined && !isLeftOut(all[position - 1])) spans.push({ term: joined, covered: [all[position - 1], all[position]] });
  }
  return { words: [...new Set(all.filter((word) => !isLeftOut(word)))], spans, title: terms(query).join(" ").slice(0, MAX_TERM) };
}

async function matchQuery(levels, query) {
  const { words, spans, title } = parseQuery(levels, query);
  const titleWeight = (term) => (term === `${title} ` ? FULL_TITLE : term.includes(" ") && term.startsWith(title) ? TITLE_PREFIX : 0);
  const first = title.split(" ")[0];
  const matchedSpans = await Promise.all(spans.map(async (span) => ({ ...span, levels: await matchStart(levels, span.term) })));
  const isCovered = (word) => matchedSpans.some(({ covered, levels }) => covered.includes(word) && isFound(levels));
  const matchedWords = await Promise.all(words.map((word) => matchWord(levels, word, isCovered(word))));
  const titles = words.includes(first) ? await matchTerms(levels, first, exactFiles, titleWeight) : levels.map(() => []);
  return { words: matchedWords.flat(), spans: matchedSpans, titles };
}

// The weight of each text for some terms: the best term in the best field. A text is
// named by the numbers of its level and of itself.
const LEVEL = 2 ** 24;
function weigh(levels, matched) {
  const weights = new Map();
  matched.forEach((terms, depth) => {
    const { pageOf, superseded } = levels[depth];
    for (const { postings, weight } of terms) {
      postings.split(".").forEach((encoded, field) => {
        for (const number of decodeTexts(field, encoded, pageOf.length)) {
          if (superseded.has(pageOf[number])) continue;
          const text = depth * LEVEL + number;
          weights.set(text, Math.max(weights.get(text) ?? 0, FIELD_WEIGHTS[field] * weight));
        }
      });
    }
  });
  return weights;
}

// The same by page, and the sum of each text's weights, which decides what is shown.
function weighPages(levels, matched, textScores) {
  const pages = new Map();
  for (const [text, weight] of weigh(levels, matched)) {
    const depth = Math.floor(text / LEVEL), page = depth * LEVEL + levels[depth].pageOf[text % LEVEL];
    pages.set(page, Math.max(pages.get(page) ?? 0, weight));
    textScores.set(text, (textScores.get(text) ?? 0) + weight);
  }
  return pages;
}

export async function search(query, withOlder = false) {
  const [root, status] = await Promise.all([load(ROOT), openStatus(withOlder)]);
  const levels = [...await Promise.all(root.levels.map(openLevel)), ...status];
  const total = levels.reduce((sum, { pageCount }) => sum + pageCount, 0);
  const { words, spans, titles } = await matchQuery(levels, query);
  const textScores = new Map(), scores = new Map();
  const spanWeights = spans.map((span) => ({ ...span, weights: weighPages(levels, span.levels, textScores) }));
  for (const { word, levels: matched } of words) {
    const weights = weighPages(levels, matched, textScores);
    for (const span of spanWeights) {
      if (span.covered.includes(word)) for (const [page, weight] of span.weights) weights.set(page, Math.max(weights.get(page) ?? 0, weight));
    }
    const idf = Math.log(1 + total / weights.size);
    for (const [page, weight] of weights) {
      const [matchedCount, score] = scores.get(page) ?? [0, 0];
      scores.set(page, [matchedCount + 1, score + weight * idf]);
    }
  }
  const improve = (page, score) => { if (scores.has(page)) scores.get(page)[1] += score; };
  for (const { weights } of spanWeights) {
    const idf = Math.log(1 + total / weights.size);
    for (const [page, weight] of weights) improve(page, (weight + ADJACENT) * idf);
  }
  for (const [page, weight] of weighPages(levels, titles, textScores)) improve(page, weight);
  const bestCount = Math.max(0, ...[...scores.values()].map(([matched]) => matched));
  const ranked = [...scores].filter(([, [matched]]) => matched === bestCount).sort(([, a], [, b]) => b[1] - a[1]);
  const wordsByTerm = new Map();
  const note = (matched, found) => matched.flat().forEach(({ term }) => wordsByTerm.set(term, [...wordsByTerm.get(term) ?? [], ...found]));
  words.forEach(({ word, levels: matched }) => note(matched, [word]));
  spans.forEach(({ covered, levels: matched }) => note(matched, covered));
  return {
    // The words of the query for each matching term.
    wordsByTerm,
    wordCount: words.length,
    results: ranked.map(([page]) => () => resultAt(levels[Math.floor(page / LEVEL)], page % LEVEL, (number) => textScores.get(page - page % LEVEL + number) ?? 0)),
  };
}

// The texts of the site, with their placeholders filled; a number chooses a plural form.
// A document can be in another language than the site around it. Dates and numbers are as
// the pages have them: in the Gregorian calendar, with Latin digits.
const TAG = document.querySelector(".masthead")?.lang || document.documentElement.lang;
const LANGUAGE = new Intl.Locale(TAG === "en" ? "en-GB" : TAG, { calendar: "gregory", numberingSystem: "latn" });
const COLLECTIONS = { guides: TEXT("docs.guides"), products: TEXT("docs.products"), support: TEXT("docs.support") };
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const counted = (forms, count) => fill(forms[new Intl.PluralRules(LANGUAGE).select(count)] ?? forms.other, { count: new Intl.NumberFormat(LANGUAGE).format(count) });

// A page as a result, with the file in which to look for an excerpt.
async function resultAt({ folder, head, pagesOfBlock, pageOf }, page, scoreOf) {
  const rows = pagesOfBlock ? await load(`${folder}/pages/${Math.floor(page / pagesOfBlock)}.json`) : head.pages;
  const [href, title, name, at] = rows[pagesOfBlock ? page % pagesOfBlock : page];
  const day = at && new Date(at).toLocaleDateString(LANGUAGE, { dateStyle: "medium", timeZone: "UTC" });
  const result = { href, title, where: [COLLECTIONS[href.split("/")[1]], name, day].filter(Boolean).join(" · ") };
  if (!folder || href.startsWith("/reference/")) return result;
  const first = pageOf.indexOf(page), numbers = [...Array(pageOf.lastIndexOf(page) - first + 1).keys()];
  const part = numbers.reduce((best, number) => (scoreOf(first + number) > scoreOf(first + best) ? number : best), 0);
  const path = href.replace(/^(\/[^/]+)\/$/, "$1/index/index/").slice(0, -1);
  return { ...result, text: numbers.length > 1 ? `/search/parts${path}/${part}.md` : `${path}.md` };
}

const slug = (text) => text.normalize("NFC").toLowerCase().replace(/['’\ufe0e\ufe0f\u20e3]/g, "").replace(/[^\p{L}\p{M}\p{N}_]+/gu, " ").trim().split(" ").join("-") || "section";

// Readers see tags, comments, ids and the marks of tabs in code only.
const plain = (markdown) => markdown
  .replace(/(`+)[^]*?\1|<!--[^]*?-->|<\/?[a-z][^<>]*>|\{:?\s*[#.][^{}\n]*\}/g, (all, ticks) => (ticks ? all : ""))
  .replace(/^[ \t>]*===[!+]? +"(.*)" *$/gm, "$1")
  .replace(/\[\^[^\s[\]]+\]:?/g, "")
  .replace(/!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
  .replace(/^[ \t]*(?:>[ \t]*)*(?:\[!\w+\]|[*+-] |\d+[.)] )?/gm, "")
  .replace(/^[ \t|:-]+$/gm, "")
  .replace(/`+|\*\*|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)/g, "")
  .replace(/[\s|]+/g, " ").trim();

// The paragraphs of a document with their headings. Long ones are cut off, since some
// patterns above take quadratic time.
const MAX_PASSAGE = 4000;
export function passages(markdown, title) {
  const passages = [], idCounts = new Map();
  let fence = "", heading = { text: "", id: "" }, lines = [];
  const finish = () => {
    const all = lines.join("\n").slice(0, MAX_PASSAGE), text = fence ? all.replace(/\s+/g, " ").trim() : plain(all);
    if (text) passages.push({ heading, text });
    lines = [];
  };
  for (const line of markdown.split("\n")) {
    const mark = line.match(/^ {0,3}(`{3,}|~{3,})/)?.[1];
    const opening = !fence && line.slice(0, MAX_PASSAGE).match(/^ {0,3}#{1,6}[ \t]+(.*)$/)?.[1].replace(/ #+ *$/, "");
    if (mark && (!fence || mark.startsWith(fence))) {
      finish();
      fence = fence ? "" : mark;
    } else if (opening) {
      finish();
      const explicitId = opening.match(/\{:?\s*#([^\s{}]+)[^{}]*\}/)?.[1];
      const text = plain(opening.replace(/<small>.*?<\/small>|!\[[^\]]*\]\([^)]*\)/g, "")) || plain(opening);
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
function bestPassage(markdown, title, { wordsByTerm, wordCount }) {
  const countWords = (text) => new Set(terms(text).flatMap((term) => wordsByTerm.get(term) ?? [])).size;
  const all = passages(markdown, title), first = { heading: {}, text: all.find(({ text }) => text)?.text };
  if (countWords(title) >= wordCount) return first;
  const scores = all.map(({ heading, text }) => countWords(heading.text) * 1.5 + countWords(text) + (text ? 0.1 : 0));
  const best = Math.max(...scores);
  return best > 1 ? all[scores.indexOf(best)] : first;
}

// The text as nodes, with the terms of the query in <mark>.
function highlighted(text, wordsByTerm) {
  const isHit = (part) => terms(part).some((term) => wordsByTerm.has(term));
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
function excerpt(text, wordsByTerm) {
  const hit = [...text.matchAll(CHUNK)].find(({ 0: chunk }) => terms(chunk).some((term) => wordsByTerm.has(term)))?.index ?? 0;
  const start = hit < CONTEXT ? 0 : text.indexOf(" ", hit - CONTEXT) + 1;
  const cut = text.slice(start, start + LENGTH);
  return (start ? "… " : "") + (start + LENGTH < text.length ? `${cut.replace(/\s\S*$/, "")} …` : cut);
}

const SEARCH_DELAY = 120, EXCERPT_DELAY = 180;
const MAX_REQUESTS = 6;  // of one search, unless its words need more
const wait = (time) => new Promise((resolve) => { setTimeout(resolve, time); });
const create = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
};

// The element of a result, and a function that adds an excerpt.
function createResult({ href, title, where, text }, answer) {
  const link = create("a", { href: SITE_PATH + href }, create("bdi", {}, ...highlighted(title, answer.wordsByTerm)));
  const item = create("li", {}, link, create("p", { className: "where", dir: "auto" }, where));
  let isAdded = !text;
  const addExcerpt = async () => {
    if (isAdded) return;
    isAdded = true;
    const { heading, text: shown } = bestPassage(await load(text, (response) => response.text()), title, answer) ?? {};
    if (heading?.id) {
      link.href = `${SITE_PATH}${href}#${encodeURIComponent(heading.id)}`;
      link.append(create("span", {}, " › ", create("bdi", {}, ...highlighted(heading.text, answer.wordsByTerm))));
    }
    if (shown) item.append(create("p", { dir: "auto" }, ...highlighted(excerpt(shown, answer.wordsByTerm), answer.wordsByTerm)));
  };
  for (const event of ["focusin", "pointerenter"]) item.addEventListener(event, () => addExcerpt().catch(() => {}), { once: true });
  return { item, addExcerpt };
}

export function attach(box, input) {
  const isPage = box.matches(".large");
  const PAGE_SIZE = isPage ? 10 : 5;
  const status = create("p", { className: "found" });
  status.setAttribute("role", "status");
  const list = create("ol", {});
  const more = create(isPage ? "button" : "a", { className: "more", hidden: true });
  const panel = create("div", { className: "results", hidden: true, tabIndex: -1 }, status, list, more);
  box.append(panel);
  let latestSearch = 0, shown = PAGE_SIZE;

  const address = () => `${SITE_PATH}/search/?q=${encodeURIComponent(input.value.trim())}`;
  const close = () => { panel.hidden = !isPage || !input.value.trim(); };

  async function show(query, searchId) {
    const requestsBefore = requests;
    const answer = await search(query, isPage);
    const results = await Promise.all(answer.results.slice(0, shown).map((result) => result()));
    if (searchId !== latestSearch) return;
    const count = answer.results.length;
    status.textContent = count ? counted(TEXT("search.results"), count) : fill(TEXT("search.nothing"), { query });
    const items = results.map((result) => createResult(result, answer));
    list.replaceChildren(...items.map(({ item }) => item));
    more.hidden = count <= shown;
    more.textContent = isPage ? TEXT("search.more") : counted(TEXT("search.all-results"), count);
    if (!isPage) more.href = address();
    panel.hidden = false;
    await wait(EXCERPT_DELAY);
    // On a page of results all have excerpts. Elsewhere, the others get theirs once the
    // reader reaches them.
    const left = isPage ? items.length : MAX_REQUESTS - (requests - requestsBefore);
    if (searchId === latestSearch) await Promise.allSettled(items.slice(0, Math.max(0, left)).map(({ addExcerpt }) => addExcerpt()));
  }

  async function update() {
    const searchId = ++latestSearch, query = input.value.trim();
    if (isPage) history.replaceState(null, "", query ? address() : `${SITE_PATH}/search/`);
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
      status.textContent = TEXT("search.failed");
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
