import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { comparePixels } from './page-functions.js';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];

/** Chromium as `CHROMIUM` names it, or as it is on PATH; undefined if there is none. */
export async function startBrowser(env = process.env): Promise<Browser | undefined> {
  const candidates = env.CHROMIUM
    ? [env.CHROMIUM]
    : (env.PATH ?? '').split(delimiter).flatMap((folder) => PROGRAMS.map((name) => join(folder, name)));
  for (const executablePath of candidates) {
    const isThere = await access(executablePath, constants.X_OK).then(
      () => true,
      () => false,
    );
    // Its own sandbox needs rights that users of containers do not have.
    if (isThere) return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  }
  return undefined;
}

export const NO_BROWSER =
  'The tests of the page for operators are left out: there is no Chromium on PATH or in CHROMIUM. Debian has it in the package chromium.';

/**
 * Pixels that differ between two PNG images, as a fraction; 1 if their sizes differ. The browser compares them.
 *
 * @param page an empty one
 */
export const differingPixels = (page: Page, first: Buffer, second: Buffer): Promise<number> =>
  page.evaluate(comparePixels, [first.toString('base64'), second.toString('base64')] as const);
