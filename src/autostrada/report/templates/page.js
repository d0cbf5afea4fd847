// Draws each chart into its element from the Vega-Lite document next to it.
for (const element of document.querySelectorAll("[data-chart]")) {
  const spec = JSON.parse(document.getElementById(element.dataset.chart).textContent);
  vegaEmbed(element, spec, {
    mode: "vega-lite",
    renderer: "svg",
    actions: false,
    formatLocale: {decimal: ".", thousands: "\u202f", grouping: [3], currency: ["", ""]},
  }).catch((error) => {
    element.textContent = "This chart cannot be drawn: " + error;
  });
}
