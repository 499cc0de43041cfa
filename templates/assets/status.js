// The page was true when it was built; this keeps it honest by the reader's clock.
(() => {
  const BEAT = 10000, MINUTE = 60000;
  const EDGES = ["staleAt", "from", "until", "startsAt", "endsAt"];
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const root = document.documentElement;
  const main = document.querySelector("main");
  const title = (page) => page.querySelector("title").textContent;
  const address = (page) => page.querySelector("link[rel=canonical]")?.href;
  const deadline = (page) => Date.parse(page.querySelector("[data-stale-at]")?.dataset.staleAt);
  const assets = (page) => all("link[rel=stylesheet], script[src]", page).map((each) => each.href || each.src).join();
  let asked = Date.now(), timer;

  // The reader's own time, with the name of its zone; UTC stays within reach. A
  // table says over its column that it is of UTC.
  const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" };
  const hour = new Intl.DateTimeFormat("en-GB", clock);
  const moment = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", ...clock });
  function localise(page) {
    for (const time of all("time[datetime*=T]", page)) {
      const text = time.textContent.trim();
      if (!text.endsWith(" UTC") || time.closest("table")) continue;
      time.title = text;
      time.textContent = (text.length < 12 ? hour : moment).format(new Date(time.dateTime));
    }
  }

  // Past its deadline the page claims nothing: no green, no sign of any state.
  function growOld(now) {
    if (!(now >= deadline(document)) || root.classList.contains("is-old")) return;
    root.classList.add("is-old");
    document.title = `Out of date: ${document.title}`;
    for (const word of all(".when-fresh")) word.hidden = true;
    for (const word of all(".when-old")) word.hidden = false;
    const unknown = document.querySelector(".when-old .sign");
    for (const sign of all(".state > .sign", main)) sign.replaceWith(unknown.cloneNode(true));
  }

  // What the clock alone will change stands there already, with its hours.
  function turn(now) {
    for (const each of all("[data-from], [data-until]")) {
      const { from, until, tone } = each.dataset;
      each.hidden = now < Date.parse(from) || now >= Date.parse(until);
      const banner = each.closest(".banner");
      if (banner && tone && !each.hidden) banner.className = `banner is-${tone}`;
    }
  }

  function moveWindows(now) {
    const [running, coming] = ["running", "coming"].map((id) => document.getElementById(id));
    if (!running) return;
    for (const item of all("article[data-starts-at]")) {
      const home = now < Date.parse(item.dataset.startsAt) ? coming : running;
      if (!home.contains(item)) home.append(item);
      item.hidden = now >= Date.parse(item.dataset.endsAt);
    }
    for (const each of [running, coming]) each.hidden = !each.querySelector("article:not([hidden])");
  }

  // Make the live element like the new one: what stays keeps focus, place and openness.
  function become(live, made) {
    if (live.isEqualNode(made)) return;
    if (live.nodeType !== 1 || live.nodeName !== made.nodeName || live.id !== made.id) return live.replaceWith(made);
    for (const { name } of [...live.attributes]) {
      if (!made.hasAttribute(name) && name !== "open") live.removeAttribute(name);
    }
    for (const { name, value } of made.attributes) live.setAttribute(name, value);
    const before = [...live.childNodes];
    [...made.childNodes].forEach((child, i) => (before[i] ? become(before[i], child) : live.append(child)));
    for (const child of before.slice(made.childNodes.length)) child.remove();
  }

  // A list may have grown above the focus: it stays with its link, not with its place.
  function renew(page) {
    const focused = document.activeElement, href = focused?.href;
    become(main, page.querySelector("main"));
    root.classList.remove("is-old");
    document.title = title(page);
    if (href && focused.href !== href) all("a[href]", main).find((link) => link.href === href)?.focus({ preventScroll: true });
    tick();
  }

  // Never one page for another, nor an older copy for a newer one.
  function isNewer(page) {
    return page.querySelector("main") && address(page) === address(document) && !(deadline(page) < deadline(document));
  }

  async function ask() {
    if (document.hidden || !navigator.onLine || Date.now() - asked < MINUTE) return;
    asked = Date.now();
    try {
      const answer = await fetch(location.pathname, { cache: "no-cache" });
      const page = new DOMParser().parseFromString(answer.ok ? await answer.text() : "", "text/html");
      if (!isNewer(page)) return;
      if (assets(page) !== assets(document)) return location.reload();
      localise(page);
      renew(page);
    } catch {
      // Nobody answers: the page that stands here grows old by itself.
    }
  }

  function tick() {
    clearTimeout(timer);
    const now = Date.now();
    turn(now);
    moveWindows(now);
    growOld(now);
    const edges = EDGES.flatMap((name) => all(`[data-${name.replace("At", "-at")}]`).map((each) => Date.parse(each.dataset[name])));
    timer = setTimeout(tick, Math.min(BEAT, ...edges.filter((at) => at > now).map((at) => at - now)));
    ask();
  }

  localise(document);
  tick();
  addEventListener("pageshow", tick);
  addEventListener("online", tick);
  document.addEventListener("visibilitychange", tick);
})();
