'use strict';

(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const { draw, element, swatch, onRestyle } = Charts;
  const shown = data.strategies.map(() => true);
  let drawn = [];

  const overTime = [
    { key: 'sleep', title: 'Longest sleep of any thread (s)', unit: 's' },
    { key: 'remaining', title: 'Remaining quota', unit: '', stepped: true },
    { key: 'accepted', title: 'Accepted per ' + data.rateUnit, unit: '/' + data.rateUnit },
    { key: 'refused', title: 'Refused per ' + data.rateUnit, unit: '/' + data.rateUnit },
  ];

  const describe = x => x.toFixed(x < 10 ? 2 : 1) + ' ' + data.timeUnit;

  function figure(parent) {
    const made = element('figure');
    parent.append(made);
    return made;
  }

  function drawStrategies() {
    drawn.forEach(chart => chart.destroy());
    const parent = document.getElementById('charts');
    parent.replaceChildren();
    drawn = overTime
      .filter(chart => data.strategies.some(strategy => strategy[chart.key].some(value => value !== null)))
      .map(chart => draw(figure(parent), {
        title: chart.title,
        unit: chart.unit,
        stepped: chart.stepped,
        x: data.x,
        xUnit: data.timeUnit,
        describe,
        sync: 'strategies',
        series: data.strategies.map((strategy, i) => ({
          label: strategy.name,
          hue: i,
          values: strategy[chart.key],
          shown: shown[i],
        })),
      }));
  }

  function drawProcesses() {
    const parent = document.getElementById('processes');
    parent.replaceChildren();
    data.strategies.forEach((strategy, i) => {
      if (!shown[i]) return;
      draw(figure(parent), {
        title: strategy.name,
        unit: 's',
        x: data.x,
        xUnit: data.timeUnit,
        describe,
        sync: 'processes',
        series: strategy.processes.map((values, process) => ({ label: 'process ' + (process + 1), hue: process, values })),
      });
    });
  }

  function toggle(index, row, on) {
    shown[index] = on;
    row.classList.toggle('off', !on);
    drawn.forEach(chart => chart.setSeries(index + 1, { show: on }));
    drawProcesses();
  }

  const text = (column, value) => (value === null ? '–' : (value * column.factor).toFixed(column.decimals));

  function row(strategy, index) {
    const made = element('tr');
    const name = element('td');
    const label = element('label');
    const box = element('input');
    box.type = 'checkbox';
    box.checked = true;
    box.addEventListener('change', () => toggle(index, made, box.checked));
    label.append(box, ' ', swatch(index), strategy.name);
    name.append(label);
    made.append(name);
    data.columns.forEach(column => made.append(element('td', '', text(column, strategy.figures[column.key]))));
    return made;
  }

  /** Rows without a value stay at the end, whichever way the rest is sorted. */
  function compare(a, b, direction) {
    if (a === null || b === null) return (a === null) - (b === null);
    return direction * (typeof a === 'string' ? a.localeCompare(b) : a - b);
  }

  function buildTable() {
    const table = document.getElementById('figures');
    const head = element('tr');
    const body = element('tbody');
    const rows = data.strategies.map((strategy, i) => ({ strategy, row: row(strategy, i) }));
    const columns = [{ title: 'strategy', meaning: '', of: strategy => strategy.name }].concat(
      data.columns.map(column => ({ title: column.title, meaning: column.meaning, of: strategy => strategy.figures[column.key] })));
    columns.forEach(column => {
      const heading = element('th');
      heading.scope = 'col';
      heading.title = column.meaning;
      const button = element('button', '', column.title);
      button.type = 'button';
      button.addEventListener('click', () => {
        const ascending = heading.getAttribute('aria-sort') !== 'ascending';
        head.querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
        heading.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
        rows.sort((a, b) => compare(column.of(a.strategy), column.of(b.strategy), ascending ? 1 : -1));
        body.replaceChildren(...rows.map(each => each.row));
      });
      heading.append(button);
      head.append(heading);
    });
    const top = element('thead');
    top.append(head);
    body.append(...rows.map(each => each.row));
    table.append(top, body);
  }

  function explainColumns() {
    const meanings = document.getElementById('meanings');
    data.columns.forEach(column => {
      const entry = element('div');
      entry.append(element('dt', '', column.title), element('dd', '', column.meaning));
      meanings.append(entry);
    });
  }

  buildTable();
  explainColumns();
  document.getElementById('processes-hint').textContent =
    'The longest sleep of any thread of each process, in seconds.' + (data.moreProcesses ? ' The first ' + data.mostProcesses + ' processes.' : '');
  const redraw = () => {
    drawStrategies();
    drawProcesses();
  };
  redraw();
  onRestyle(redraw);
})();
