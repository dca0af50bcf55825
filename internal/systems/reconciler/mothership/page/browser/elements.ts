/** The element with this id, which page.html has. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`the page has no ${id}`);
}

type Content = string | Node | undefined;

/** An element with attributes and content; texts are never read as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content.filter((part) => part !== undefined));
  return made;
}

/** Changes a text only if it differs, so that a selection in it stays and a screen reader says nothing. */
export function setText(target: Node, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

export interface ListOptions<T, E extends HTMLElement> {
  key(item: T): string;
  create(item: T): E;
  /** Brings an element up to date that was created for an item of the same key. */
  update(element: E, item: T): void;
}

/** Shows items as children of an element. Those that stay keep their elements, and so the focus. */
export function showList<T, E extends HTMLElement>(
  parent: HTMLElement,
  items: readonly T[],
  { key, create, update }: ListOptions<T, E>,
): void {
  const present = new Map([...parent.children].map((child) => [(child as E).dataset.key, child as E]));
  let next: Element | null = parent.firstElementChild;
  for (const item of items) {
    const name = key(item);
    const known = present.get(name);
    present.delete(name);
    const child = known ?? create(item);
    child.dataset.key = name;
    update(child, item);
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
  for (const gone of present.values()) gone.remove();
}

/**
 * Brings the children of an element up to date. What is equal stays, so that clicks, the focus, selections and what is opened do too;
 * buttons that differ are replaced with what they do.
 */
export function updateChildren(parent: Element, wanted: readonly Node[]): void {
  const present = [...parent.childNodes];
  for (const [index, node] of wanted.entries()) {
    const known = present[index];
    if (known === undefined) parent.append(node);
    else updateNode(known, node);
  }
  for (const gone of present.slice(wanted.length)) gone.remove();
}

function updateNode(known: ChildNode, wanted: Node): void {
  if (known.isEqualNode(wanted)) return;
  const isSame = known.nodeName === wanted.nodeName && known.nodeName !== 'BUTTON';
  if (!isSame || !(known instanceof Element) || !(wanted instanceof Element)) {
    known.replaceWith(wanted);
    return;
  }
  for (const { name } of [...known.attributes]) {
    // What the user has opened stays open.
    if (name !== 'open' && !wanted.hasAttribute(name)) known.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) known.setAttribute(name, value);
  updateChildren(known, [...wanted.childNodes]);
}

/** A row whose cells show texts; `first` is the content of its header cell. */
export function row(first: Content, cells: number): HTMLTableRowElement {
  const made = element('tr', {}, element('th', { scope: 'row' }, first));
  for (let index = 0; index < cells; index++) made.append(element('td'));
  return made;
}

/** A row of cards on narrow screens, where each cell has the heading of its column before it. */
export function labelled(target: HTMLTableRowElement, headings: readonly string[]): HTMLTableRowElement {
  for (const [index, heading] of headings.entries()) {
    const cell = target.cells[index];
    if (cell !== undefined) cell.dataset.label = heading;
  }
  return target;
}

/** The texts of the cells behind the header cell. */
export function setCells(target: HTMLTableRowElement, texts: readonly string[]): void {
  for (const [index, text] of texts.entries()) {
    const cell = target.cells[index + 1];
    if (cell !== undefined) setText(cell, text);
  }
}

/** A button. */
export function button(text: string, onClick: () => void): HTMLButtonElement {
  const made = element('button', { type: 'button' }, text);
  made.addEventListener('click', onClick);
  return made;
}

/** A text with a button that copies it. */
/** @param href where more is to be seen; default: the text is no link */
export function copyable(text: string, what: string, href?: string): HTMLElement {
  const copy = element('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${what}` }, 'Copy');
  copy.addEventListener('click', () => {
    navigator.clipboard.writeText(text).then(
      () => setText(copy, 'Copied'),
      () => setText(copy, 'Not copied'),
    );
  });
  return element(
    'span',
    {},
    element('code', {}, href === undefined ? text : element('a', { href }, text)),
    ' ',
    copy,
  );
}

/** The address of the page of a cluster. */
const clusterHref = (runtimeId: string): string => `/ui/clusters/${encodeURIComponent(runtimeId)}`;

export const clusterLink = (runtimeId: string, name: string): HTMLAnchorElement =>
  element('a', { href: clusterHref(runtimeId) }, name || runtimeId);
