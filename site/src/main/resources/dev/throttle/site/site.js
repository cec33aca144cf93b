'use strict';

(() => {
  // On a phone the menu is folded, so that the page comes first. Elsewhere it is always open.
  const pages = document.getElementById('site-pages');
  const narrow = matchMedia('(max-width: 52rem)');
  const fold = () => { pages.open = !narrow.matches; };
  narrow.addEventListener('change', fold);
  fold();

  const form = document.getElementById('site-search');
  const input = form.elements.q;
  const found = document.getElementById('site-found');
  const most = 12;
  form.hidden = false;

  /** How well a section fits: words in its heading count most. 0 if one of the words is missing. */
  function score(section, words) {
    let sum = 0;
    for (const word of words) {
      const inHeading = section.lowerHeading.includes(word);
      const inPage = section.lowerPage.includes(word);
      const count = section.lowerText.split(word).length - 1;
      if (!inHeading && !inPage && count === 0) return 0;
      sum += (inHeading ? 20 : 0) + (inPage ? 8 : 0) + Math.min(count, 5);
    }
    return sum;
  }

  function excerpt(section, words) {
    const near = section.lowerText.indexOf(words[0]) - 40;
    const at = near <= 0 ? 0 : section.text.indexOf(' ', near) + 1;
    return (at > 0 ? '… ' : '') + section.text.slice(at, at + 120) + (section.text.length > at + 120 ? ' …' : '');
  }

  /** The text of all pages is large, so it is loaded when somebody is about to search. */
  let sections = null;

  function load() {
    input.removeEventListener('focus', load);
    const script = document.createElement('script');
    script.src = form.dataset.root + 'search.js';
    script.addEventListener('load', () => {
      sections = searchIndex.map(section => ({
        ...section,
        lowerPage: section.page.toLowerCase(),
        lowerHeading: section.heading.toLowerCase(),
        lowerText: section.text.toLowerCase(),
      }));
      search();
    });
    document.head.append(script);
  }

  function search() {
    if (sections === null) return;
    const words = input.value.toLowerCase().split(/\s+/).filter(word => word.length > 1);
    const hits = words.length === 0 ? [] : sections
      .map(section => ({ section, score: score(section, words) }))
      .filter(hit => hit.score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, most);
    found.replaceChildren(...hits.map(({ section }) => {
      const entry = document.createElement('li');
      const link = document.createElement('a');
      link.href = form.dataset.root + section.url;
      link.textContent = section.heading === section.page ? section.page : section.page + ' › ' + section.heading;
      const text = document.createElement('p');
      text.textContent = excerpt(section, words);
      entry.append(link, text);
      return entry;
    }));
    if (hits.length === 0 && words.length > 0) {
      const none = document.createElement('li');
      none.textContent = 'Nothing found';
      found.append(none);
    }
    found.hidden = words.length === 0;
  }

  input.addEventListener('focus', load);
  input.addEventListener('input', search);
  input.addEventListener('focus', search);
  form.addEventListener('submit', event => {
    event.preventDefault();
    const first = found.querySelector('a');
    if (first) location.href = first.href;
  });
  document.addEventListener('keydown', event => {
    if (event.key === 'Escape') found.hidden = true;
    if (event.key === '/' && document.activeElement === document.body) {
      event.preventDefault();
      input.focus();
    }
  });
  document.addEventListener('click', event => {
    if (!form.contains(event.target) || event.target.closest('a')) found.hidden = true;
  });
})();
