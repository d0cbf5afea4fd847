// Draws each chart into its place; the document it is drawn from lies beside it.
for (const place of document.querySelectorAll("[data-chart]")) {
  const spec = JSON.parse(document.getElementById(place.dataset.chart).textContent);
  vegaEmbed(place, spec, {
    mode: "vega-lite",
    renderer: "svg",
    actions: false,
    formatLocale: {decimal: ".", thousands: "\u202f", grouping: [3], currency: ["", ""]},
  }).catch((error) => {
    place.textContent = "This chart cannot be drawn: " + error;
  });
}
