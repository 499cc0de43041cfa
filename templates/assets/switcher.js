// Lead to the same page in another language or of another version, where it exists.
(() => {
  for (const menu of document.querySelectorAll(".switcher")) {
    const own = menu.querySelector("[aria-current]"), others = menu.querySelectorAll("a:not([aria-current])");
    const folder = new URL(own.href).pathname;
    const path = location.pathname.startsWith(folder) ? location.pathname.slice(folder.length) : "";
    menu.addEventListener("toggle", () => {
      own.href += path;
      for (const link of others) {
        const page = link.href + path;
        if (!path || link.origin !== location.origin) continue;
        fetch(page, { method: "HEAD" }).then(({ ok }) => { if (ok) link.href = page; }).catch(() => {});
      }
    }, { once: true });
    // As other menus, it closes when the reader turns to something else.
    const close = () => { menu.open = false; };
    addEventListener("click", ({ target }) => { if (!menu.contains(target)) close(); });
    menu.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || !menu.open) return;
      close();
      menu.querySelector("summary").focus();
    });
  }
})();
