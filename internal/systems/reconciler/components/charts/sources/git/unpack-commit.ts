import { readFile } from 'node:fs/promises';
import { refused, type TargetFolder } from '../chart-source.ts';
import type { CommitJob } from '../unpack-jobs.ts';
import { readPack } from './pack.ts';

/** More links and submodules than this are refused. */
const MAX_LEFT_OUT = 1000;
const [FOLDER, SYMBOLIC_LINK, SUBMODULE] = ['40000', '120000', '160000'];

/**
 * Writes the files of a commit.
 *
 * @returns paths that were left out: symbolic links and submodules
 * @throws SourceError beyond a limit, for paths that are refused, and for a damaged pack
 */
export async function unpackCommit(
  { pack, commit, limits }: CommitJob,
  target: TargetFolder,
): Promise<readonly string[]> {
  const objects = readPack(await readFile(pack), limits);
  const leftOut: string[] = [];
  const write = async (oid: string, folder: string): Promise<void> => {
    for (const { mode, name, oid: own } of entriesOf(objects.read(oid, 'tree'))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (mode === FOLDER) {
        await target.addFolder(path);
        await write(own, path);
      } else if (mode === SYMBOLIC_LINK || mode === SUBMODULE) {
        leftOut.push(path);
        if (leftOut.length > MAX_LEFT_OUT)
          throw refused(`the repository has more than ${MAX_LEFT_OUT} links`);
      } else {
        await target.addFile(path, [objects.read(own, 'blob')]);
      }
    }
  };
  const [, tree] =
    /^tree ([0-9a-f]{40})\n/.exec(objects.read(commit, 'commit').toString('latin1', 0, 50)) ?? [];
  if (tree === undefined) throw refused('the commit of the Git server names no tree');
  await write(tree, '');
  return leftOut;
}

/** A mode, a space, the name, a zero byte, and 20 bytes of the object's name (gitformat-pack). */
function* entriesOf(tree: Buffer): Generator<{ mode: string; name: string; oid: string }> {
  let at = 0;
  while (at < tree.length) {
    const space = tree.indexOf(' ', at);
    const zero = tree.indexOf(0, space);
    if (space < 0 || zero < 0 || zero + 20 >= tree.length)
      throw refused('a tree of the Git server is damaged');
    yield {
      mode: tree.toString('latin1', at, space),
      name: tree.toString('utf8', space + 1, zero),
      oid: tree.toString('hex', zero + 1, zero + 21),
    };
    at = zero + 21;
  }
}
