/** A user with a shell and kubectl, who executes what the provider recommends. */
import { type ExecFileException, execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Why commands of kubectl cannot be executed on this machine; undefined if they can. */
export const noKubectlBecause = (): string | undefined =>
  spawnSync('kubectl', ['version', '--client']).status === 0 ? undefined : 'kubectl is not installed';

export interface UserShell {
  /**
   * Executes a command line, and returns what it prints.
   *
   * @param file the content of the file that the command calls FILE
   * @param edit a JSON merge patch, as what the user types in the editor of `kubectl edit`
   * @throws with the output if the command fails
   */
  run(command: string, input?: { readonly file?: string; readonly edit?: object }): Promise<string>;
  close(): Promise<void>;
}

const execute = promisify(execFile);

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

const EDITOR = `${process.execPath} ${join(import.meta.dirname, 'edit-object.mjs')}`;

/** @param kubeconfigPath of the cluster that commands without --kubeconfig are for */
export async function openUserShell(kubeconfigPath: string): Promise<UserShell> {
  const folder = await mkdtemp(join(tmpdir(), 'user-shell-'));
  let files = 0;
  return {
    run: async (command, { file = '', edit = {} } = {}) => {
      const path = join(folder, `file-${files++}`);
      await writeFile(path, file);
      // Not synchronous: the process may have the simulators that the command waits for.
      const { stdout } = await execute(
        'bash',
        ['-o', 'pipefail', '-c', command.replaceAll('=FILE', `=${path}`)],
        {
          env: {
            PATH: process.env.PATH,
            HOME: folder,
            KUBECONFIG: kubeconfigPath,
            KUBE_EDITOR: EDITOR,
            EDIT: JSON.stringify(edit),
          },
          timeout: 60_000,
        },
      ).catch(({ code, stdout, stderr }: ExecFileException & Output) => {
        throw new Error(`${command}: ${code}\n${stdout}${stderr}`);
      });
      return stdout;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
