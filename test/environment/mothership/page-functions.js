// Functions that tests run in the browser. They are no TypeScript, since the program of the tests has no types of the DOM.

/** Pixels that differ between two PNG images in base64, as a fraction; 1 if their sizes differ. */
export async function comparePixels([first, second]) {
  const pixelsOf = async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [left, right] = [await pixelsOf(first), await pixelsOf(second)];
  if (left.width !== right.width || left.height !== right.height) return 1;
  let differing = 0;
  for (let at = 0; at < left.data.length; at += 4) {
    const distance = [0, 1, 2].reduce(
      (sum, channel) => sum + Math.abs(left.data[at + channel] - right.data[at + channel]),
      0,
    );
    // Edges of glyphs differ a little between runs.
    if (distance > 96) differing++;
  }
  return differing / (left.data.length / 4);
}

/** The text of the element that has the focus. */
export const focusedText = () => document.activeElement?.textContent ?? '';

/** Controls without a text and a label. */
export const unnamedControls = () =>
  [...document.querySelectorAll('button, a, input, select')]
    .filter((control) => control.textContent.trim() === '' && (control.labels?.length ?? 0) === 0)
    .map((control) => control.outerHTML);

/** The contrast of each text with its background, as WCAG computes it. */
export function contrasts() {
  const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color)
      .slice(0, 3)
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgroundOf = (start) => {
    for (let at = start; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if ((channels(backgroundColor)[3] ?? 1) > 0) return backgroundColor;
    }
    return 'rgb(255, 255, 255)';
  };
  return [...document.querySelectorAll('main *, header *')]
    .filter((at) => at.textContent.trim() && at.checkVisibility() && !at.matches(':disabled, option'))
    .map((at) => {
      const [front, back] = [luminance(getComputedStyle(at).color), luminance(backgroundOf(at))];
      const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
      return { text: at.textContent.slice(0, 30), contrast };
    });
}

/** By how many pixels the page is wider than the window. */
export const overflow = () => document.documentElement.scrollWidth - innerWidth;

/**
 * When the page was shown, its script had come, and its data were asked for, in ms.
 *
 * @param {string} data
 */
export function firstView(data) {
  const resources = performance.getEntriesByType('resource');
  const of = (/** @type {string} */ end) => resources.find(({ name }) => name.endsWith(end));
  return {
    shown: performance.getEntriesByName('shown')[0]?.startTime ?? Number.NaN,
    script: /** @type {PerformanceResourceTiming | undefined} */ (of('/page.js'))?.responseEnd ?? Number.NaN,
    asked: of(data)?.startTime ?? Number.NaN,
  };
}
