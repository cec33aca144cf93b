'use strict';

/** What all pages of the lab draw with: uPlot, with the colours of the style sheet, and a box with the values at the cursor. */
const Charts = (() => {
  const HUES = 8;
  const HEIGHT = 220;

  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const hue = index => colour('--hue-' + index % HUES);

  const format = value => {
    if (value === null || value === undefined) return '–';
    return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
  };

  const timeOfDay = at => new Date(at * 1000).toLocaleTimeString('en', { hourCycle: 'h23' });

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function swatch(index) {
    const made = element('span', 'swatch');
    made.style.background = 'var(--hue-' + index % HUES + ')';
    return made;
  }

  /** A box beside the cursor: the time, and the value of each series that is shown. */
  function valuesAtCursor(spec) {
    const box = element('div', 'tooltip');
    box.hidden = true;
    let inside = false;

    function fill(chart, index) {
      box.replaceChildren(element('b', '', spec.describe(chart.data[0][index])));
      spec.series.forEach((series, i) => {
        const value = chart.data[i + 1][index];
        if (chart.series[i + 1].show && value !== null && value !== undefined) {
          const line = element('div', '', series.label + ': ' + format(value) + (spec.unit ? ' ' + spec.unit : ''));
          line.prepend(swatch(series.hue));
          box.append(line);
        }
      });
    }

    return {
      hooks: {
        init: chart => {
          chart.over.append(box);
          chart.over.addEventListener('mouseenter', () => { inside = true; });
          chart.over.addEventListener('mouseleave', () => { inside = false; box.hidden = true; });
        },
        setCursor: chart => {
          const { left, top, idx: index } = chart.cursor;
          box.hidden = !inside || index === null || index === undefined || left < 0;
          if (box.hidden) return;
          fill(chart, index);
          const toTheLeft = left > chart.over.clientWidth / 2;
          box.style.left = toTheLeft ? '' : left + 14 + 'px';
          box.style.right = toTheLeft ? chart.over.clientWidth - left + 14 + 'px' : '';
          box.style.top = Math.max(0, Math.min(top, chart.over.clientHeight - box.offsetHeight)) + 'px';
        },
      },
    };
  }

  /**
   * Draws a chart into an element.
   *
   * spec: title, unit, x, xUnit, time (whether x are seconds since 1970), describe(x), legend (whether to show one), stepped
   * (whether a value holds until the next one), sync (a name that charts share whose cursors move together), xRange, and
   * series, each with label, hue, values and shown.
   */
  function draw(figure, spec) {
    const caption = element('figcaption', '', spec.title);
    if (spec.legend) {
      spec.series.forEach(series => {
        const line = element('span', 'legend', series.label);
        line.prepend(swatch(series.hue));
        caption.append(line);
      });
    }
    figure.replaceChildren(caption);
    const axis = {
      stroke: colour('--soft'),
      grid: { stroke: colour('--grid'), width: 1 },
      ticks: { stroke: colour('--line'), width: 1 },
    };
    const options = {
      width: figure.clientWidth || 560,
      height: HEIGHT,
      legend: { show: false },
      cursor: { sync: spec.sync ? { key: spec.sync, setSeries: false } : undefined, points: { size: 6 } },
      scales: {
        x: { time: Boolean(spec.time), range: spec.xRange },
        y: { range: (chart, low, high) => [Math.min(0, low || 0), high > 0 ? high * 1.05 : 1] },
      },
      axes: [
        { ...axis, values: (chart, ticks) => ticks.map(spec.time ? timeOfDay : tick => format(tick) + ' ' + spec.xUnit), space: 70 },
        { ...axis, size: 60, values: (chart, ticks) => ticks.map(tick => (tick === null ? '' : format(tick))) },
      ],
      plugins: [valuesAtCursor(spec)],
      series: [{}].concat(spec.series.map(series => ({
        label: series.label,
        show: series.shown !== false,
        stroke: hue(series.hue),
        dash: series.hue < HUES ? undefined : [6, 4],
        width: 1.5,
        spanGaps: true,
        paths: spec.stepped ? uPlot.paths.stepped({ align: 1 }) : undefined,
        points: { show: false },
      }))),
    };
    return new uPlot(options, [spec.x].concat(spec.series.map(series => series.values)), figure);
  }

  /** Calls back when charts have to be drawn anew: the page has another width, or changed between light and dark. */
  function onRestyle(redraw) {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
    let later;
    addEventListener('resize', () => {
      clearTimeout(later);
      later = setTimeout(redraw, 150);
    });
  }

  return { draw, element, format, onRestyle, swatch, timeOfDay };
})();
