// Reads the median repetition of a course where the mouse is, in all of its panels.
for (const course of document.querySelectorAll(".course")) {
  const panels = [...course.querySelectorAll(".panel")].filter((panel) => panel.querySelector(".plot"));
  const forget = () => {
    for (const panel of panels) {
      panel.querySelector(".plot").classList.remove("read");
      panel.querySelector("output").textContent = "";
    }
  };
  course.addEventListener("pointerleave", forget);
  course.addEventListener("pointermove", (event) => {
    const box = panels[0].querySelector(".plot").getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    forget();
    if (event.pointerType !== "mouse" || share < 0 || share > 1) return;
    const at = instant(share * course.dataset.durationS);
    for (const panel of panels) {
      const plot = panel.querySelector(".plot");
      plot.style.setProperty("--at", `${100 * share}%`);
      plot.classList.add("read");
      const levels = [...plot.querySelectorAll(".middle")]
        .map((line) => [line.classList[0], levelAt(line, share, plot.dataset.end)])
        .filter(([, level]) => level !== undefined)
        .map(([process, level]) => `${process} ${short(level)}`);
      panel.querySelector("output").textContent = levels.length ? `${at}: ${levels.join(", ")}` : "";
    }
  });
}

// What a line was at last seen to be; undefined before its first point and after its last one.
function levelAt(line, share, end) {
  const {width, height} = line.ownerSVGElement.viewBox.baseVal;
  const points = [...line.points];
  if (points.at(-1).x < share * width) return undefined;
  const seen = points.findLast((point) => point.x <= share * width);
  return seen && end * (1 - seen.y / height);
}

function instant(seconds) {
  return seconds < 1 ? `${Math.round(1000 * seconds)}\u202fms` : `${seconds.toFixed(2)}\u202fs`;
}

function short(level) {
  if (level >= 1e6) return `${(level / 1e6).toPrecision(3)}\u202fM`;
  if (level >= 1e4) return `${Math.round(level / 1e3)}\u202fk`;
  const rounded = level >= 100 ? Math.round(level) : Number(level.toPrecision(3));
  return rounded.toLocaleString("en").replace(",", "\u202f");
}
