// Parts of a page that scroll sideways can be reached by keyboard. Without this the browser's own rule holds.
(() => {
  const reach = () => {
    for (const part of document.querySelectorAll("article pre, .formula, .table-wrapper, .shown")) {
      if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    }
  };
  addEventListener("load", reach);
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
})();
