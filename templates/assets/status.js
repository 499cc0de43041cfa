// Keep a status page up to date: localise times, apply scheduled changes, reload data,
// and mark the page as out of date after its deadline.
(() => {
  const TICK = 10000, MINUTE = 60000;
  const TIMES = ["staleAt", "from", "until", "startsAt", "endsAt"];
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const root = document.documentElement;
  const main = document.querySelector("main");
  const title = (page) => page.querySelector("title").textContent;
  const canonicalUrl = (page) => page.querySelector("link[rel=canonical]")?.href;
  const deadline = (page) => Date.parse(page.querySelector("[data-stale-at]")?.dataset.staleAt);
  const assets = (page) => all("link[rel=stylesheet], script[src]", page).map((element) => element.href || element.src).join();
  let requestedAt = Date.now(), timer;

  // Show local times with their time zone; UTC becomes the tooltip. Tables stay in UTC,
  // which is in their column headers.
  const timeFormat = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" };
  const timeOnly = new Intl.DateTimeFormat("en-GB", timeFormat);
  const dateTime = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", ...timeFormat });
  function localise(page) {
    for (const time of all("time[datetime*=T]", page)) {
      const text = time.textContent.trim();
      if (!text.endsWith(" UTC") || time.closest("table")) continue;
      time.title = text;
      time.textContent = (text.length < 12 ? timeOnly : dateTime).format(new Date(time.dateTime));
    }
  }

  // After the deadline no state is shown any more, neither as text nor as colour.
  function markAsStale(now) {
    if (!(now >= deadline(document)) || root.classList.contains("is-old")) return;
    root.classList.add("is-old");
    document.title = `Out of date: ${document.title}`;
    for (const element of all(".when-fresh")) element.hidden = true;
    for (const element of all(".when-old")) element.hidden = false;
    const unknownIcon = document.querySelector(".when-old .sign");
    for (const icon of all(".state > .sign", main)) icon.replaceWith(unknownIcon.cloneNode(true));
  }

  // Scheduled changes are in the page already, each with the time in which it is shown.
  function applyScheduledChanges(now) {
    for (const element of all("[data-from], [data-until]")) {
      const { from, until, tone } = element.dataset;
      element.hidden = now < Date.parse(from) || now >= Date.parse(until);
      const banner = element.closest(".banner");
      if (banner && tone && !element.hidden) banner.className = `banner is-${tone}`;
    }
  }

  function moveWindows(now) {
    const [active, scheduled] = ["running", "coming"].map((id) => document.getElementById(id));
    if (!active) return;
    for (const item of all("article[data-starts-at]")) {
      const section = now < Date.parse(item.dataset.startsAt) ? scheduled : active;
      if (!section.contains(item)) section.append(item);
      item.hidden = now >= Date.parse(item.dataset.endsAt);
    }
    for (const section of [active, scheduled]) section.hidden = !section.querySelector("article:not([hidden])");
  }

  // Update the live element to equal the new one; unchanged elements keep their focus,
  // position and state.
  function morph(live, updated) {
    if (live.isEqualNode(updated)) return;
    if (live.nodeType !== 1 || live.nodeName !== updated.nodeName || live.id !== updated.id) return live.replaceWith(updated);
    for (const { name } of [...live.attributes]) {
      if (!updated.hasAttribute(name) && name !== "open") live.removeAttribute(name);
    }
    for (const { name, value } of updated.attributes) live.setAttribute(name, value);
    const children = [...live.childNodes];
    const count = updated.childNodes.length;
    [...updated.childNodes].forEach((child, i) => (children[i] ? morph(children[i], child) : live.append(child)));
    for (const child of children.slice(count)) child.remove();
  }

  // If a list has grown above the focused link, the focus moves with the link.
  function update(page) {
    const focused = document.activeElement, href = focused?.href;
    morph(main, page.querySelector("main"));
    root.classList.remove("is-old");
    document.title = title(page);
    if (href && focused.href !== href) all("a[href]", main).find((link) => link.href === href)?.focus({ preventScroll: true });
    tick();
  }

  // Neither another page nor an older copy, such as one from a cache.
  function isNewer(page) {
    return page.querySelector("main") && canonicalUrl(page) === canonicalUrl(document) && !(deadline(page) < deadline(document));
  }

  async function reload() {
    if (document.hidden || !navigator.onLine || Date.now() - requestedAt < MINUTE) return;
    requestedAt = Date.now();
    try {
      const response = await fetch(location.pathname, { cache: "no-cache" });
      const page = new DOMParser().parseFromString(response.ok ? await response.text() : "", "text/html");
      if (!isNewer(page)) return;
      if (assets(page) !== assets(document)) return location.reload();
      localise(page);
      update(page);
    } catch {
      // Without a response the page stays as it is until its deadline.
    }
  }

  function tick() {
    clearTimeout(timer);
    const now = Date.now();
    applyScheduledChanges(now);
    moveWindows(now);
    markAsStale(now);
    const times = TIMES.flatMap((name) => all(`[data-${name.replace("At", "-at")}]`).map((element) => Date.parse(element.dataset[name])));
    timer = setTimeout(tick, Math.min(TICK, ...times.filter((time) => time > now).map((time) => time - now)));
    reload();
  }

  localise(document);
  tick();
  addEventListener("pageshow", tick);
  addEventListener("online", tick);
  document.addEventListener("visibilitychange", tick);
})();
