// Local times, relative times, copy buttons and the current heading; all optional.
(() => {
  const all = (selector, within = document) => within.querySelectorAll(selector);

  // Local times as tooltips; the text is in UTC.
  const addLocalTimes = (within) => {
    for (const time of all("time[datetime*=T]:not([title])", within)) {
      const date = new Date(time.dateTime);
      time.title = `${date.toLocaleString(undefined, { dateStyle: "full", timeStyle: "short" })}, your time`;
    }
  };

  const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
  const ago = (date) => {
    const minutes = Math.trunc((date - Date.now()) / 60000);
    if (!minutes) return "less than a minute ago";
    if (Math.abs(minutes) < 60) return relative.format(minutes, "minute");
    if (Math.abs(minutes) < 1440) return relative.format(Math.round(minutes / 60), "hour");
    return relative.format(Math.round(minutes / 1440), "day");
  };
  const showRelativeTimes = (within) => {
    for (const time of all("time[data-ago]", within)) time.dataset.ago = ago(new Date(time.dateTime));
  };
  setInterval(showRelativeTimes, 60000, document);

  const addCopyButtons = (within) => {
    // The clipboard is available only over https and on localhost.
    if (!navigator.clipboard) return;
    for (const code of all("div.code", within)) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.setAttribute("aria-live", "polite");
      code.append(button);
    }
  };
  document.addEventListener("click", async ({ target }) => {
    if (!target.matches(".code > .copy")) return;
    try {
      await navigator.clipboard.writeText(target.parentNode.querySelector("pre").innerText);
      target.textContent = "Copied";
    } catch {
      target.textContent = "Copy failed";
    }
    setTimeout(() => { target.textContent = "Copy"; }, 2000);
  });

  const enhance = (within) => [addLocalTimes, showRelativeTimes, addCopyButtons].forEach((add) => add(within));
  enhance(document);
  // A status page announces the content that it is about to show.
  document.addEventListener("update", ({ detail }) => enhance(detail));

  // Mark the current heading in the table of contents.
  const links = [...all(".contents a")];
  const headings = links.map((link) => document.getElementById(link.hash ? decodeURIComponent(link.hash.slice(1)) : ""));
  const markCurrent = () => {
    const passed = headings.filter((heading) => heading && heading.getBoundingClientRect().top < 120);
    links.forEach((link, i) => {
      if (headings[i] && headings[i] === passed.at(-1)) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
    });
  };
  if (links.length) {
    addEventListener("scroll", () => requestAnimationFrame(markCurrent), { passive: true });
    markCurrent();
  }
})();
