// Parts of a page that scroll sideways can be reached by keyboard. Without this the browser's own rule holds.
(() => {
  const reach = () => {
    for (const part of document.querySelectorAll("article pre, .formula, .table-wrapper, .shown, .picture")) {
      if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    }
  };
  addEventListener("load", reach);
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
})();

// Pictures that were drawn beforehand: the controls choose one, its alternative text and what it shows in words.
(() => {
  for (const figure of document.querySelectorAll("figure.frames")) {
    const form = figure.querySelector("form"), image = figure.querySelector("img");
    const frames = JSON.parse(figure.querySelector("script").textContent);
    const controls = [...form.querySelectorAll("input, select")];
    const placeOf = (control) => (control.matches("select") ? control.selectedIndex : Number(control.value));
    const countOf = (control) => (control.matches("select") ? control.options.length : Number(control.max) + 1);
    const draw = () => {
      const place = controls.reduce((sum, control) => sum * countOf(control) + placeOf(control), 0);
      const [picture, alt, text] = frames[place];
      image.src = `${figure.dataset.folder}${picture}.webp`;
      image.removeAttribute("height"); // pictures may differ in height
      image.alt = alt;
      figure.querySelector("figcaption").textContent = text;
      for (const slider of form.querySelectorAll("input")) {
        const value = JSON.parse(slider.dataset.values)[placeOf(slider)];
        slider.setAttribute("aria-valuetext", value);
        slider.nextElementSibling.textContent = value;
      }
    };
    form.addEventListener("input", draw);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
  }
})();
