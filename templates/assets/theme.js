// Apply the stored theme before the first paint, and show the switch.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const load = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const store = (theme) => {
    // Without storage the choice applies to this page only.
    try { theme ? localStorage.setItem("theme", theme) : localStorage.removeItem("theme"); } catch {}
  };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const apply = (theme) => {
    if (theme === "dark" || theme === "light") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  apply(load());

  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector(".scheme");
    const show = () => button.setAttribute("aria-pressed", isDark());
    button.hidden = false;
    button.addEventListener("click", () => {
      const chosen = isDark() ? "light" : "dark";
      // Choosing the theme of the system means following the system again.
      const theme = (chosen === "dark") === system.matches ? null : chosen;
      store(theme);
      apply(theme);
      show();
    });
    system.addEventListener("change", show);
    addEventListener("storage", () => { apply(load()); show(); });
    show();
  });
})();
