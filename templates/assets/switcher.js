// Lead to the same page in another language or of another version, where it exists.
(() => {
  for (const menu of document.querySelectorAll(".switcher")) {
    const links = [...menu.querySelectorAll("a")];
    const folder = new URL(links.find((link) => link.matches("[aria-current]")).href).pathname;
    const path = location.pathname.startsWith(folder) ? location.pathname.slice(folder.length) : "";
    menu.addEventListener("toggle", () => {
      for (const link of links.filter(({ origin }) => path && origin === location.origin)) {
        const page = link.href + path;
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
