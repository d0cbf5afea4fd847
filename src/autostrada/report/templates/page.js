// Draws each chart into its place; the document it is drawn from lies beside it.
for (const place of document.querySelectorAll("[data-chart]")) {
  const spec = JSON.parse(document.getElementById(place.dataset.chart).textContent);
  vegaEmbed(place, spec, {
    mode: "vega-lite",
    renderer: "svg",
    actions: false,
    formatLocale: {decimal: ".", thousands: "\u202f", grouping: [3], currency: ["", ""]},
  }).then(({view}) => {
    // Entries of a legend that are buttons single out one contestant, or none again.
    const buttons = [...place.parentElement.querySelectorAll("button")];
    for (const button of buttons) {
      button.addEventListener("click", () => {
        const isPicked = button.getAttribute("aria-pressed") === "true";
        for (const other of buttons) other.setAttribute("aria-pressed", "false");
        button.setAttribute("aria-pressed", String(!isPicked));
        view.signal("picked", isPicked ? "" : button.textContent.trim()).runAsync();
      });
    }
  }).catch((error) => {
    place.textContent = "This chart cannot be drawn: " + error;
  });
}
