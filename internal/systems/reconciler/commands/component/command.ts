import { type Command, Option } from 'commander';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { addGroups } from '../../../../framework/process/flag.ts';
import { type ComponentFlags, componentGroups } from '../../components/component-flags.ts';

/** `provider-kyma component …`: a component reconciler, which works on tasks of the mothership. */
export function addComponentCommands(root: Command, host: ProcessLike): void {
  const group = root
    .command('component')
    .description('Runs a component reconciler: installs, updates and deletes components on clusters');
  const command = (name: string, description: string): Command =>
    addGroups(
      group
        .command(name)
        .description(description)
        .argument('<name>', 'the component reconciler: base, or a specialised one')
        .addOption(
          new Option(
            '--no-login',
            'serve every address without a check of clients, behind a mesh that authenticates; default: only loopback addresses are served, unless clients need a certificate or a token',
          )
            .env('RECONCILER_NO_LOGIN')
            .helpGroup('Server:'),
        ),
      componentGroups,
    );

  command('start', 'run a component reconciler until SIGTERM or SIGINT')
    .addOption(
      new Option('--dry-run', 'render charts and report the objects, without a call of any cluster')
        .default(false)
        .helpGroup('Work:'),
    )
    .action(async (name: string, flags: ComponentFlags) => {
      const { startComponent } = await import('./start-component.ts');
      await startComponent(name, flags, host);
    });

  command('test', 'print a request with a task, then run as start does').action(
    async (name: string, flags: Omit<ComponentFlags, 'dryRun'>) => {
      const [{ startComponent }, { exampleRequest }] = await Promise.all([
        import('./start-component.ts'),
        import('./start-component.ts'),
      ]);
      host.stdout.write(`${exampleRequest(name, flags)}\n`);
      await startComponent(name, { ...flags, dryRun: false }, host);
    },
  );
}
