"use strict";
// The map that can be walked through: by pointer, and by arrow keys in the order of risk.
document.querySelectorAll("figure.mv-map").forEach((figure) => {
  const told = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
  const live = figure.querySelector(".mv-live"), said = figure.querySelector(".mv-said");
  const pick = { loss: figure.querySelector("[data-axis=loss]"), risk: figure.querySelector("[data-axis=risk]") };
  const LEFT = 58, TOP = 14, RIGHT = 468, BOTTOM = 346, WIDTH = 480, HEIGHT = 392, SPACE = "http://www.w3.org/2000/svg";
  const FAR = 22; // a number further from its point than this is joined to it by a line
  const axis = (name) => told.axes.find((one) => one.name === pick[name].value);
  const turn = (one) => (one.better === "higher" ? -1 : 1);
  let order = [], current = -1, picture = null;

  const shape = (tag, facts, words) => {
    const made = document.createElementNS(SPACE, tag);
    Object.entries(facts).forEach(([name, value]) => made.setAttribute(name, value));
    if (words !== undefined) made.textContent = words;
    return made;
  };
  const plain = (number) => number.toLocaleString("en", { maximumSignificantDigits: 4 });
  const ticks = (low, high, count) => {
    const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
    const step = power * ([1, 2, 2.5, 5].find((one) => raw <= one * power * 1.0000001) || 10), found = [];
    for (let i = Math.ceil(low / step - 1e-9); i <= high / step + 1e-9; i++) found.push(i * step + 0);
    return found;
  };
  const frontier = (points, loss, risk) => {
    const sorted = points.filter((one) => one.candidate)
      .sort((a, b) => turn(loss) * (a.x - b.x) || turn(risk) * (a.y - b.y));
    let lowest = Infinity;
    return sorted.filter((one) => turn(risk) * one.y < lowest && ((lowest = turn(risk) * one.y), true));
  };
  const range = (values) => {
    const low = Math.min(0, ...values), high = Math.max(0, ...values), room = 0.06 * (high - low) || 1;
    return [low < 0 ? low - room : 0, high + room];
  };
  const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
  const place = (x, y, width, taken) => {
    for (const ring of [13, 17, 24, 33, 44]) {
      for (let step = 0; step < 16; step++) {
        const angle = (2 * Math.PI * Math.floor((step + 1) / 2) * (step % 2 ? -1 : 1)) / 16;
        const middle = x + (ring + width / 2 - 6) * Math.cos(angle), base = y + ring * Math.sin(angle) + 4.5;
        const box = [middle - width / 2 - 1, base - 11, middle + width / 2 + 1, base + 2];
        const inside = box[0] >= LEFT + 2 && box[1] >= TOP - 6 && box[2] <= WIDTH && box[3] <= BOTTOM - 1;
        if (inside && !taken.some((other) => overlap(box, other))) return { x: box[0] + 1, y: base, box };
      }
    }
    return null;
  };

  const draw = () => {
    const loss = axis("loss"), risk = axis("risk");
    const points = told.points.map((one) => ({ ...one, x: one.values[loss.name], y: one.values[risk.name] }))
      .filter((one) => Number.isFinite(one.x) && Number.isFinite(one.y));
    const kept = current >= 0 ? order[current].id : null;
    order = points.slice().sort((a, b) => a.y - b.y || a.x - b.x || a.id - b.id);
    current = order.findIndex((one) => one.id === kept);
    const along = (name, one) => [...points.flatMap((point) => [point[name], ...(point.spread[one.name] || [])]),
      ...(one.limit === null ? [] : [one.limit])];
    const [left, right] = range(along("x", loss)), [bottom, top] = range(along("y", risk));
    const X = (value) => LEFT + ((RIGHT - LEFT) * (value - left)) / (right - left);
    const Y = (value) => BOTTOM - ((BOTTOM - TOP) * (value - bottom)) / (top - bottom);
    picture = shape("svg", { class: "mv-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, role: "presentation" });
    const add = (tag, facts, words) => picture.appendChild(shape(tag, facts, words));
    const small = (x, y, words, anchor, more) => add("text", { x, y, class: "mv-small", "text-anchor": anchor, ...more }, words);
    ticks(left, right, 7).forEach((tick) => {
      add("line", { x1: X(tick), x2: X(tick), y1: TOP, y2: BOTTOM, class: "mv-grid" });
      small(X(tick), BOTTOM + 19, plain(tick), "middle");
    });
    ticks(bottom, top, 6).forEach((tick) => {
      add("line", { x1: LEFT, x2: RIGHT, y1: Y(tick), y2: Y(tick), class: "mv-grid" });
      small(LEFT - 8, Y(tick) + 4, plain(tick), "end");
    });
    add("line", { x1: LEFT, x2: RIGHT, y1: BOTTOM, y2: BOTTOM, class: "mv-axis" });
    add("line", { x1: LEFT, x2: LEFT, y1: TOP, y2: BOTTOM, class: "mv-axis" });
    const cut = (words) => (words.length > 44 ? `${words.slice(0, 43)}…` : words);
    small((LEFT + RIGHT) / 2, BOTTOM + 40, `${cut(loss.heading)} →`, "middle");
    small(0, 0, `${cut(risk.heading)} →`, "middle", { transform: `translate(13 ${(TOP + BOTTOM) / 2}) rotate(-90)` });
    if (loss.limit !== null) {
      add("line", { x1: X(loss.limit), x2: X(loss.limit), y1: TOP, y2: BOTTOM, class: "mv-limit" });
      small(X(loss.limit) - 4, TOP + 12, `limit ${plain(loss.limit)}`, "end");
    }
    if (risk.limit !== null) {
      add("line", { x1: LEFT, x2: RIGHT, y1: Y(risk.limit), y2: Y(risk.limit), class: "mv-limit" });
      small(RIGHT, Y(risk.limit) - 5, `limit ${plain(risk.limit)}`, "end");
    }
    const edge = frontier(points, loss, risk), best = new Set(edge.map((one) => one.id));
    if (edge.length > 1 && loss.better === "lower") {
      const steps = edge.slice(1).map((one) => `H${X(one.x)}V${Y(one.y)}`).join("");
      add("path", { class: "mv-frontier", d: `M${X(edge[0].x)} ${Y(edge[0].y)}${steps}` });
    }
    const taken = points.map((one) => [X(one.x) - 5, Y(one.y) - 5, X(one.x) + 5, Y(one.y) + 5]);
    points.forEach((one) => {
      const [across, up] = [one.spread[loss.name], one.spread[risk.name]];
      const reach = (x1, x2, y1, y2) => {
        add("line", { x1, x2, y1, y2, class: "mv-spread" });
        taken.push([x1 - 1, y2 - 1, x2 + 1, y1 + 1]);
      };
      if (across) reach(X(across[0]), X(across[1]), Y(one.y), Y(one.y));
      if (up) reach(X(one.x), X(one.x), Y(up[0]), Y(up[1]));
    });
    edge.slice(1).forEach((one, i) => {
      const x = X(edge[i].x), y = Y(edge[i].y), next = X(one.x), under = Y(one.y);
      taken.push([x, y - 1, next, y + 1], [next - 1, Math.min(y, under), next + 1, Math.max(y, under)]);
    });
    if (loss.limit !== null) {
      taken.push([X(loss.limit) - 60, TOP, X(loss.limit), TOP + 16], [X(loss.limit) - 1, TOP, X(loss.limit) + 1, BOTTOM]);
    }
    if (risk.limit !== null) {
      taken.push([RIGHT - 60, Y(risk.limit) - 17, RIGHT, Y(risk.limit)], [LEFT, Y(risk.limit) - 1, RIGHT, Y(risk.limit) + 1]);
    }
    order.forEach((one, i) => {
      one.left = X(one.x), one.top = Y(one.y), one.best = best.has(one.id);
      const group = shape("g", { role: "option", id: `${live.id}-${one.id}`, "aria-selected": "false",
        "aria-label": sentence(one, i, loss, risk) });
      if (one.chosen) group.appendChild(shape("circle", { class: "mv-outline", cx: one.left, cy: one.top, r: 8.5 }));
      const cross = `M${one.left - 4} ${one.top - 4}l8 8M${one.left + 4} ${one.top - 4}l-8 8`;
      const diamond = `M${one.left} ${one.top - 6}l6 6l-6 6l-6 -6z`;
      const kind = one.best ? ["mv-after", 4.5] : one.candidate ? ["mv-before", 4] : ["mv-reference", 3];
      group.appendChild(one.reference || one.impossible
        ? shape("path", { class: "mv-reference", d: one.reference ? diamond : cross })
        : shape("circle", { class: kind[0], cx: one.left, cy: one.top, r: kind[1] }));
      group.appendChild(shape("circle", { class: "mv-ring", cx: one.left, cy: one.top, r: 11 }));
      picture.appendChild(group);
    });
    const short = points.length <= 15;
    order.slice().sort((a, b) => b.reference - a.reference || b.chosen - a.chosen || b.best - a.best).forEach((one) => {
      const names = one.reference ? [one.label] : short && one.label.length <= 24 ? [one.label, one.mark] : [one.mark];
      for (const name of names) {
        const found = place(one.left, one.top, 7.4 * name.length + 2, taken);
        if (found === null) continue;
        taken.push(found.box);
        const middle = [(found.box[0] + found.box[2]) / 2, (found.box[1] + found.box[3]) / 2];
        if (Math.hypot(middle[0] - one.left, middle[1] - one.top) > FAR && name === one.mark) {
          add("line", { x1: one.left, y1: one.top, x2: middle[0], y2: middle[1], class: "mv-track" });
        }
        small(found.x, found.y, name, "start");
        break;
      }
    });
    live.replaceChildren(picture);
    show(current);
  };
  const called = (one) => (one.reference ? `${one.label} (the file as it is)` : `number ${one.mark}, ${one.label}`);
  const state = (one) => [one.best ? "on the frontier" : "", one.remark].filter(Boolean).map((said) => `; ${said}`).join("");
  const place_of = (one, i) => { // the file as it is is no plan: it has no place among them
    const plans = order.filter((other) => !other.reference);
    return one.reference ? "" : `${order.slice(0, i + 1).filter((other) => !other.reference).length} of ${plans.length} plans by risk: `;
  };
  const sentence = (one, i, loss, risk) => `${place_of(one, i)}${called(one)}; ` +
    `${loss.title} ${one.told[loss.name]}, ${risk.title} ${one.told[risk.name]}${state(one)}`;
  let opened = false;
  const list = (one, axes, parent, title) => {
    const lines = document.createElement("dl");
    lines.className = "parts";
    axes.forEach((found) => {
      const line = lines.appendChild(document.createElement("div"));
      line.append(Object.assign(document.createElement("dt"), { textContent: title(found) }),
        Object.assign(document.createElement("dd"), { textContent: one.told[found.name] }));
    });
    parent.append(lines);
  };
  const show = (i) => {
    picture.querySelectorAll("[aria-selected=true]").forEach((one) => one.setAttribute("aria-selected", "false"));
    current = i;
    said.replaceChildren();
    if (i < 0) { live.removeAttribute("aria-activedescendant"); return; }
    const one = order[i], mark = picture.querySelector(`#${live.id}-${one.id}`);
    mark.setAttribute("aria-selected", "true");
    picture.appendChild(mark);
    live.setAttribute("aria-activedescendant", mark.id);
    const add = (tag, words, parent = said) => parent.appendChild(Object.assign(document.createElement(tag), { textContent: words }));
    add("b", `${sentence(one, i, axis("loss"), axis("risk"))}.`);
    add("p", one.words);
    const measured = told.axes.filter((found) => found.name in one.told);
    list(one, measured.filter((found) => !found.part), said, (found) => found.title);
    const parts = measured.filter((found) => found.part);
    if (!parts.length) return;
    const more = add("details", "");
    more.open = opened;
    more.addEventListener("toggle", () => { opened = more.open; });
    add("summary", `its ${parts.length} parts: single attacks, single kinds of loss`, more);
    [...new Set(parts.map((found) => found.group))].forEach((group) => {
      add("h4", group, more);
      list(one, parts.filter((found) => found.group === group), more, (found) => found.short);
    });
  };
  const near = (event) => {
    const box = picture.getBoundingClientRect(), scale = WIDTH / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    let best = -1, least = 24;
    order.forEach((one, i) => {
      const far = Math.hypot(one.left - x, one.top - y);
      if (far < least) { least = far; best = i; }
    });
    return best;
  };
  const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  live.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !order.length) return;
    const last = order.length - 1;
    if (event.key in moves) show(current < 0 ? (moves[event.key] > 0 ? 0 : last) : Math.min(Math.max(current + moves[event.key], 0), last));
    else if (event.key === "Home") show(0);
    else if (event.key === "End") show(last);
    else if (event.key === "Escape") show(-1);
    else return;
    event.preventDefault();
  });
  live.addEventListener("pointermove", (event) => { const i = near(event); if (i >= 0 && i !== current) show(i); });
  live.addEventListener("pointerdown", (event) => { const i = near(event); if (i >= 0) show(i); });
  Object.entries(pick).forEach(([name, select]) => {
    const groups = [...new Set(told.axes.slice().sort((a, b) => (b.about === name) - (a.about === name)).map((one) => one.group))];
    groups.forEach((group) => {
      const options = told.axes.filter((one) => one.group === group)
        .map((one) => new Option(group ? one.short : one.heading, one.name, false, one.name === told[name]));
      if (group) {
        const heading = document.createElement("optgroup");
        heading.label = group;
        heading.append(...options);
        select.append(heading);
      } else select.append(...options);
    });
    select.addEventListener("change", draw);
  });
  figure.classList.add("mv-alive");
  draw();
});
