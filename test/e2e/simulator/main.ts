/** Bundles the simulator into the folder that is given, and prints its file. */
import { parseArgs } from 'node:util';
import { bundleSimulator } from './bundle-simulator.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const [folder] = positionals;
if (folder === undefined) throw new Error('node test/e2e/simulator/main.ts FOLDER');
console.log(await bundleSimulator(folder));
