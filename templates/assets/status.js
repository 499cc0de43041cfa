// The page was true when it was built; this keeps it honest by the reader's clock.
(() => {
  const all = (selector, within = document) => within.querySelectorAll(selector);
  const running = document.getElementById("running");
  const coming = document.getElementById("coming");

  function growOld(now) {
    const bearer = document.querySelector("[data-stale-at]");
    if (!bearer || now < Date.parse(bearer.dataset.staleAt)) return;
    if (bearer.classList.contains("is-old")) return;
    bearer.classList.add("is-old");
    document.title = `Out of date: ${document.title}`;
    for (const word of all(".when-fresh")) word.hidden = true;
    for (const word of all(".when-old")) word.hidden = false;
  }

  function moveWindow(item, now) {
    const { startsAt, endsAt } = item.dataset;
    const phase = now < Date.parse(startsAt) ? "scheduled" : now < Date.parse(endsAt) ? "active" : "completed";
    for (const word of all("[data-phase]", item)) word.hidden = word.dataset.phase !== phase;
    if (!running || !running.contains(item) && !coming.contains(item)) return;
    const home = phase === "scheduled" ? coming : running;
    if (!home.contains(item)) home.append(item);
    item.hidden = phase === "completed";
  }

  function tick() {
    const now = Date.now();
    growOld(now);
    for (const item of all("[data-starts-at]")) moveWindow(item, now);
    for (const section of [running, coming]) {
      if (section) section.hidden = !section.querySelector("article:not([hidden])");
    }
  }

  tick();
  setInterval(tick, 10000);
  addEventListener("pageshow", tick);
  document.addEventListener("visibilitychange", tick);
})();
