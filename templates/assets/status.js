// Keep a status page up to date: localise times, apply scheduled changes, reload data,
// and mark the page as out of date after its deadline.
(() => {
  const TICK = 10000, MINUTE = 60000;
  const TIMES = ["staleAt", "from", "until", "startsAt", "endsAt"];
  // What a build may change outside <main>.
  const FRAME = "meta[name=description], meta[property], .masthead .brand, .masthead nav, .colophon";
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const root = document.documentElement;
  const main = document.querySelector("main");
  const canonicalUrl = (page) => page.querySelector("link[rel=canonical]")?.href;
  const dataOf = (within) => within.querySelector("[data-stale-at]")?.dataset ?? {};
  // Only our own: browser extensions add others to the page.
  const folder = new URL(".", document.currentScript.src).pathname;
  const assets = (page) => all(`[href^='${folder}'], [src^='${folder}']`, page.head).map((element) => element.outerHTML).join();
  // The page as it was built. What is shown is always computed from this and the time,
  // never from what was shown before, so an open page equals a fresh load.
  let source = main.cloneNode(true), title = document.title;
  let requestedAt = Date.now(), shownAt = NaN, timer;

  // Show local times with their time zone; UTC becomes the tooltip. Tables stay in UTC,
  // which is in their column headers.
  // As the pages have them: the day before the month in English, and everywhere the
  // Gregorian calendar with Latin digits.
  const language = new Intl.Locale(root.lang === "en" ? "en-GB" : root.lang, { calendar: "gregory", numberingSystem: "latn" });
  const clock = { timeStyle: "short", hourCycle: "h23" };
  const timeOnly = new Intl.DateTimeFormat(language, clock);
  const dateTime = new Intl.DateTimeFormat(language, { dateStyle: "medium", ...clock });
  const zone = new Intl.DateTimeFormat(language, { timeZoneName: "short" });
  const zoneAt = (date) => zone.formatToParts(date).find((part) => part.type === "timeZoneName").value;
  // Times of the page's day in UTC have no date; it is added where the reader's differs.
  function localise(within) {
    const day = new Date(dataOf(source).checkedAt).toDateString();
    for (const time of all("time[data-utc]", within)) {
      time.title = time.textContent;
      const date = new Date(time.dateTime);
      const parts = (time.dataset.utc && date.toDateString() === day ? timeOnly : dateTime).formatToParts(date);
      const start = parts.findIndex((part) => part.type === "hour");
      const end = parts.findIndex((part) => part.type === "minute") + 1;
      const join = (some) => some.map((part) => part.value).join("");
      const clockText = TEXT("time.utc").replace("{time}", join(parts.slice(start, end))).replace("UTC", zoneAt(date));
      time.textContent = join(parts.slice(0, start)) + clockText + join(parts.slice(end));
    }
  }

  // Scheduled changes are in the page already, each with the time in which it is shown.
  function applyScheduledChanges(within, now) {
    for (const element of all("[data-from], [data-until]", within)) {
      const { from, until, tone } = element.dataset;
      element.hidden = now < Date.parse(from) || now >= Date.parse(until);
      const banner = element.closest(".banner");
      if (banner && tone && !element.hidden) banner.className = `banner top is-${tone}`;
    }
  }

  function moveWindows(within, now) {
    const [active, scheduled] = ["running", "coming"].map((id) => within.querySelector(`#${id}`));
    if (!active) return;
    for (const item of all("article[data-starts-at]", within)) {
      const section = now < Date.parse(item.dataset.startsAt) ? scheduled : active;
      if (!section.contains(item)) section.append(item);
      item.hidden = now >= Date.parse(item.dataset.endsAt);
    }
    for (const section of [active, scheduled]) section.hidden = !section.querySelector("article:not([hidden])");
  }

  // After the deadline no state is shown any more, neither as text nor as colour.
  function markAsStale(within) {
    for (const element of all(".when-fresh", within)) element.hidden = true;
    for (const element of all(".when-old", within)) element.hidden = false;
    const unknownIcon = within.querySelector(".when-old .sign");
    for (const icon of all(".state > .sign", within)) icon.replaceWith(unknownIcon.cloneNode(true));
  }

  // Make the live element equal to the new one. Elements that stay keep their focus,
  // position and selection, and live regions announce what changes in them.
  const KEYS = ["id", "aria-labelledby", "value", "data-key"];
  const name = (node) => [node.nodeName, ...KEYS.map((key) => node.getAttribute?.(key))].join();
  function morph(live, updated) {
    if (live.isEqualNode(updated)) return;
    if (live.nodeType !== Node.ELEMENT_NODE) { live.nodeValue = updated.nodeValue; return; }
    for (const attribute of [...live.attributes]) {
      if (!updated.hasAttribute(attribute.name)) live.removeAttribute(attribute.name);
    }
    for (const attribute of updated.attributes) live.setAttribute(attribute.name, attribute.value);
    let next = live.firstChild;
    const skip = () => { const skipped = next; next = next.nextSibling; return skipped; };
    for (const child of [...updated.childNodes]) {
      // Elements before the match are gone. Text is matched only in its place.
      let match = next;
      while (match && name(match) !== name(child)) match = child.nodeType === Node.ELEMENT_NODE ? match.nextSibling : null;
      if (!match) live.insertBefore(child, next);
      else {
        while (next !== match) skip().remove();
        morph(skip(), child);
      }
    }
    while (next) skip().remove();
  }

  // What the reader has opened, closed or chosen stays so, and the focus stays with its
  // link, wherever they move. It returns to a link that was hidden, unless the reader has
  // gone elsewhere meanwhile.
  const identity = (element) => element.type === "radio"
    ? `${element.name} ${element.value}`
    : element.dataset.key ?? element.getAttribute("href") ?? element.getAttribute("aria-label") ?? element.textContent;
  const summaries = (within) => new Map(all("details > summary", within).map((each) => [identity(each), each.parentNode]));
  let lostFocus = null, built = summaries(source);
  function show(updated) {
    const [live, next] = [summaries(main), summaries(updated)];
    for (const [key, details] of next) {
      const left = live.get(key);
      if (left && left.open !== built.get(key)?.hasAttribute("open")) details.open = left.open;
    }
    built = summaries(source);
    const chosen = new Set(all("input:checked[type=radio]", main).map(identity));
    const focused = document.activeElement;
    const target = main.contains(focused) ? identity(focused) : focused === document.body ? lostFocus : null;
    lostFocus = null;
    morph(main, updated);
    for (const radio of all("input:checked[type=radio]", main)) radio.checked = chosen.delete(identity(radio));
    if (chosen.size) for (const radio of all("input[type=radio]", main)) radio.checked ||= chosen.has(identity(radio));
    // A browser takes the focus from an element that is hidden, but only later.
    const isTarget = (element) => identity(element) === target && element.checkVisibility();
    if (target === null || (document.activeElement === focused && isTarget(focused))) return;
    const found = all("a[href], summary, button, input, [tabindex]", main).find(isTarget);
    if (found) found.focus({ preventScroll: true });
    else lostFocus = target;
  }

  // A second press on a bar, or Escape, takes back the choice of its day.
  const isBar = (element) => element.matches(".bars > input");
  let pressed = null;
  main.addEventListener("pointerdown", ({ target }) => { pressed = isBar(target) && target.checked ? target : null; });
  main.addEventListener("click", ({ target }) => { if (target === pressed) target.checked = false; });
  main.addEventListener("keydown", ({ key, target }) => {
    const bar = key === "Escape" && target.closest(".bars")?.querySelector(":checked");
    if (bar) bar.checked = false;
  });

  function render(now) {
    const isStale = now >= Date.parse(dataOf(source).staleAt);
    const updated = document.importNode(source, true);
    localise(updated);
    applyScheduledChanges(updated, now);
    moveWindows(updated, now);
    if (isStale) markAsStale(updated);
    // The search box of the front page stays as it is, with what is entered in it.
    const box = main.querySelector("[data-search]");
    if (box) updated.querySelector("[data-search]")?.replaceWith(box.cloneNode(true));
    document.dispatchEvent(new CustomEvent("update", { detail: updated }));
    show(updated);
    root.classList.toggle("is-old", isStale);
    document.title = isStale ? TEXT("status.out-of-date-title").replace("{title}", () => title) : title;
    shownAt = now;
  }

  // Neither another page nor an older copy, such as one from a cache. The deadline alone
  // also becomes earlier when a service is added.
  function isNewer(page) {
    const [loaded, current] = [dataOf(page), dataOf(source)];
    const isOlder = loaded.staleAt < current.staleAt && loaded.checkedAt < current.checkedAt;
    return page.querySelector("main") && canonicalUrl(page) === canonicalUrl(document) && !isOlder;
  }

  function update(page) {
    const [live, updated] = [all(FRAME), all(FRAME, page)];
    if (assets(page) !== assets(document) || live.length !== updated.length) return location.reload();
    live.forEach((element, i) => morph(element, updated[i]));
    [source, title, shownAt] = [page.querySelector("main"), page.title, NaN];
    tick();
  }

  async function reload() {
    if (document.hidden || !navigator.onLine || Date.now() - requestedAt < MINUTE) return;
    requestedAt = Date.now();
    try {
      const response = await fetch(location.pathname, { cache: "no-cache" });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (response.ok && isNewer(page)) update(page);
      // The page of a removed service is gone: the site's own 404 page takes its place.
      else if (response.status === 404 && page.querySelector(".masthead")) location.reload();
    } catch {
      // Without a response the page stays as it is until its deadline.
    }
  }

  // Render again if a change was due since the last time, or if the clock went back.
  function tick() {
    clearTimeout(timer);
    const now = Date.now();
    const times = TIMES.flatMap((key) => all(`[data-${key.replace("At", "-at")}]`, source).map((element) => Date.parse(element.dataset[key])));
    if (!(shownAt <= now) || times.some((time) => shownAt < time && time <= now)) render(now);
    timer = setTimeout(tick, Math.min(TICK, ...times.filter((time) => time > now).map((time) => time - now)));
    reload();
  }

  tick();
  addEventListener("pageshow", tick);
  addEventListener("online", tick);
  document.addEventListener("visibilitychange", tick);
})();
