'use strict';

(() => {
  const { draw, element, format, onRestyle, timeOfDay } = Charts;
  const MOST_SAMPLES = 900;
  const MOST_SECTIONS = 12;
  const POLL_MILLIS = 1000;

  const KINDS = [
    { chart: 'quota', title: 'Quota left', unit: '', stepped: true },
    { chart: 'sleep', title: 'Sleep (s)', unit: 's' },
    { chart: 'queue', title: 'Queue', unit: '' },
    { chart: 'requests', title: 'Requests per second, by outcome', unit: '/s', counts: true },
  ];
  /** An outcome keeps its colour, whichever others there are. */
  const HUES = { success: 2, throttled: 7, busy: 1, rejected: 3, failed: 4, denied: 6, cancelled: 0, ignored: 5 };

  const main = document.getElementById('throttles');
  const status = document.getElementById('status');
  const sections = new Map();
  let samples = [];
  let next = 0;

  const seconds = () => Number(document.getElementById('window').value);
  const wanted = () => document.getElementById('filter').value.trim().toLowerCase();
  const idOf = each => each.throttle + '\n' + each.key;

  /** How much a counter grew per second since the sample before; nothing where it began anew. */
  function rates(times, counts) {
    return counts.map((count, i) => {
      const before = i === 0 ? null : counts[i - 1];
      return count === null || before === null || count < before ? null : (count - before) / (times[i] - times[i - 1]);
    });
  }

  /** The lines of a chart: of each name, its value in each sample. */
  function lines(kind, seen, times) {
    const names = new Set();
    seen.forEach(each => each && Object.keys(each[kind.chart] || {}).forEach(name => names.add(name)));
    const all = [...names].sort().map((name, i) => {
      const values = seen.map(each => each?.[kind.chart]?.[name] ?? null);
      return { label: name, hue: HUES[name] ?? i, values: kind.counts ? rates(times, values) : values };
    });
    return kind.counts ? all.filter(line => line.values.some(value => value > 0)) : all;
  }

  function sectionOf(each) {
    const id = idOf(each);
    if (!sections.has(id)) {
      const root = element('section');
      const charts = element('div', 'charts');
      const now = element('p', 'hint');
      root.append(element('h2', '', each.throttle + (each.key ? ' · ' + each.key : '')), now, charts);
      const figures = KINDS.map(() => {
        const figure = element('figure');
        charts.append(figure);
        return { figure, chart: null, names: '' };
      });
      sections.set(id, { root, now, figures });
    }
    return sections.get(id);
  }

  /** What a section says in words, for those who do not see the charts. */
  function inWords(each) {
    const quota = Object.entries(each.quota || {}).map(([name, left]) => (name === 'unnamed' ? '' : name + ' ') + format(left) + ' left');
    const sleep = each.sleep ? 'sleep ' + format(each.sleep.sleep ?? 0) + ' s' : '';
    const waiting = each.queue ? format(each.queue.waiting ?? 0) + ' waiting' : '';
    return [...quota, sleep, waiting].filter(Boolean).join(', ');
  }

  function show(each, from) {
    const section = sectionOf(each);
    const times = from.map(sample => sample.at);
    const seen = from.map(sample => sample.throttles.find(other => idOf(other) === idOf(each)) ?? null);
    section.now.textContent = inWords(each);
    KINDS.forEach((kind, i) => {
      const place = section.figures[i];
      const all = lines(kind, seen, times);
      const names = all.map(line => line.label).join('\n');
      place.figure.hidden = all.length === 0;
      if (all.length === 0) return;
      if (place.chart === null || place.names !== names) {
        place.chart?.destroy();
        place.names = names;
        place.chart = draw(place.figure, {
          title: kind.title, unit: kind.unit, stepped: kind.stepped, x: times, time: true, describe: timeOfDay, legend: true, sync: 'watch', series: all,
          xRange: () => [samples[samples.length - 1].at - seconds(), samples[samples.length - 1].at],
        });
      } else {
        place.chart.setData([times].concat(all.map(line => line.values)));
      }
    });
    return section.root;
  }

  function showAll() {
    const last = samples[samples.length - 1];
    if (!last || last.error) return;
    const from = samples.filter(sample => sample.at >= last.at - seconds() - 5);
    const matching = last.throttles.filter(each => idOf(each).toLowerCase().includes(wanted()));
    const shown = matching.slice(0, MOST_SECTIONS);
    const roots = shown.map(each => sectionOf(each).root);
    if (roots.length !== main.querySelectorAll('section').length || roots.some(root => !main.contains(root))) {
      main.replaceChildren(...roots);
    }
    shown.forEach(each => show(each, from));
    main.querySelector('.empty')?.remove();
    const more = matching.length - shown.length;
    if (more > 0) main.append(element('p', 'empty', 'And ' + more + ' more: say which above.'));
    if (matching.length === 0) main.append(element('p', 'empty', 'No throttle yet. They come with the first request.'));
  }

  function say(text, lost) {
    status.textContent = text;
    status.classList.toggle('lost', lost);
  }

  async function poll() {
    try {
      const news = await (await fetch('samples?since=' + next)).json();
      next = news.next;
      samples = samples.concat(news.samples).slice(-MOST_SAMPLES);
      const last = samples[samples.length - 1];
      if (last) say(last.error ? '– ' + last.error : '– as of ' + timeOfDay(last.at), Boolean(last.error));
      if (news.samples.length > 0) showAll();
    } catch (e) {
      say('– the watch has ended', true);
    }
    setTimeout(poll, POLL_MILLIS);
  }

  function redraw() {
    sections.forEach(section => section.figures.forEach(place => { place.names = ''; }));
    showAll();
  }

  document.getElementById('window').addEventListener('change', redraw);
  document.getElementById('filter').addEventListener('input', showAll);
  onRestyle(redraw);
  poll();
})();
