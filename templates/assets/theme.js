// Apply the remembered colours before the first paint, and offer the switch.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const recall = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const remember = (theme) => {
    // Storage may be forbidden; the choice then lasts for this page.
    try { theme ? localStorage.setItem("theme", theme) : localStorage.removeItem("theme"); } catch {}
  };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const apply = (theme) => {
    if (theme === "dark" || theme === "light") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  apply(recall());

  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector(".scheme");
    const show = () => button.setAttribute("aria-pressed", isDark());
    button.hidden = false;
    button.addEventListener("click", () => {
      const wanted = isDark() ? "light" : "dark";
      // Who wants what the system says follows the system again.
      const theme = (wanted === "dark") === system.matches ? null : wanted;
      remember(theme);
      apply(theme);
      show();
    });
    system.addEventListener("change", show);
    addEventListener("storage", () => { apply(recall()); show(); });
    show();
  });
})();
