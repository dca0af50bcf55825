/**
 * A module has everything for one system: its kinds, webhooks, commands and flags. The command line depends on modules,
 * not on kinds. See ../../systems/README.md to add one.
 *
 * Every process imports the `Module` of every module. That file imports only types, flags and texts; `load` imports the
 * rest.
 */
import type { Command } from 'commander';
import type { ConcurrencyLimiter } from '../base/concurrency/concurrency-limiter.ts';
import type { Deps } from '../base/deps.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { Cluster, ConnectCluster } from '../kube/cluster/cluster.ts';
import type { ResourceType } from '../kube/object/resource-type.ts';
import type { ConfigKinds, Managed, ManagedKind, Provider } from '../managed/index.ts';
import type { FlagTable } from '../process/flag.ts';
import type { ProcessLike } from './console/process-like.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { RequiredRight } from './right.ts';

/** @typeParam F the flags of `start` that the module reads */
export interface Module<F = unknown> {
  /** As `--controllers` names it. */
  readonly name: string;
  /** Names of modules that this one requires. */
  readonly needs?: readonly string[];
  /** The module's flags of `start`. No other module, nor the program, has one of these names or environment variables. */
  readonly flags?: FlagTable;
  /** The kinds, in lower case, of the resources that `doctor KIND/NAME` checks with this module. */
  readonly diagnosed?: readonly string[];
  /** Whether `doctor KIND --all` checks all resources. Default false. */
  readonly diagnosesAll?: boolean;
  /** Without `-n` the resource is cluster-scoped. Default: it is in the namespace of the context. */
  readonly diagnosesClusterScope?: boolean;
  /** Those of `flags` that `doctor` has as well. */
  readonly doctorFlags?: FlagTable;
  readonly commands?: readonly ModuleCommand<F>[];
  /**
   * Name of the Lease of a program that the module replaces. If the module runs alone, the leader holds that Lease, and by default no
   * leader is elected, as in that program.
   */
  readonly ownLease?: string;
  /** Loads the code of its kinds. */
  load(): Promise<LoadedModule<F>>;
}

/** A module whose code is loaded. It has no connections yet. */
export interface LoadedModule<F = unknown> {
  /** Kinds of provider configurations that it reconciles. */
  readonly configs: readonly ConfigKinds[];
  /** Kinds of managed resources that it reconciles. Other kinds are only in `register`, `rights` and `composed`. */
  readonly kinds: readonly ModuleKind[];
  /** Other kinds that Compositions may have. Absent: none. */
  readonly composed?: readonly ResourceType[];
  /** The namespaces whose objects it reconciles with these flags; absent or undefined: all. */
  namespaces?(flags: F): readonly string[] | undefined;
  /** Rights on the management cluster in addition to those that every kind needs. */
  rights(flags: F): readonly RequiredRight[];
  /**
   * Other clusters on which it needs rights, for `doctor --permissions`, which closes them.
   *
   * @throws InvalidConfigurationError if it cannot connect with these flags
   */
  otherClusters?(context: ModuleContext<F>): Promise<readonly ReviewedCluster[]>;
  /** @throws InvalidConfigurationError if it cannot run with these flags */
  open(context: ModuleContext<F>): OpenModule | Promise<OpenModule>;
}

export interface ReviewedCluster {
  readonly cluster: Pick<Cluster, 'client' | 'displayName' | 'close'>;
  /** That the user of its client needs there. */
  readonly rights: readonly RequiredRight[];
}

export interface ModuleKind {
  readonly type: ResourceType<Managed>;
  /** The provider configurations that its resources refer to. */
  readonly configs: ConfigKinds;
  /** Whether its Connect reads the configuration. */
  readonly readsConfig: boolean;
}

/** A module with its connections. */
export interface OpenModule {
  /** Adds controllers, webhooks and other runnables to the provider, before it runs. */
  register(provider: Provider): void;
  /** The kinds of managed resources, for dry runs. */
  readonly kinds: readonly OpenKind[];
  /** The report of `doctor` on a resource of one of the kinds `diagnosed` of the module. */
  diagnose?(question: DiagnosisQuestion): Promise<Diagnosis>;
  close(): Promise<void>;
}

export interface OpenKind extends ModuleKind {
  /** Creates the kind on a client of the management cluster and calls `use` with it, typed. */
  with<T>(client: KubeClient, use: <R extends Managed>(kind: ManagedKind<R>) => T): T;
}

export interface DiagnosisQuestion {
  /** One of the kinds `diagnosed` of the module. */
  readonly kind: string;
  /** Empty with `all`. */
  readonly name: string;
  /** All resources of the kind, and what the next update of each would change. Only of modules that have `diagnosesAll`. */
  readonly all?: boolean;
  /** Of a namespaced resource; absent: the resource is cluster-scoped. */
  readonly namespace?: string;
  /** The user whose rights on the management cluster are checked; default: the current user. */
  readonly user?: string;
  readonly signal: AbortSignal;
}

/** Flags of the program that any module may read. */
export interface CommonFlags {
  /** Whether clients of external APIs accept loopback and private addresses. */
  readonly allowPrivateEndpoints: boolean;
}

/** What a module gets from the process. */
export interface ModuleContext<F = unknown> {
  readonly deps: Deps;
  /** The management cluster. */
  readonly cluster: Cluster;
  /** Of the management cluster. */
  readonly client: KubeClient;
  /** Limits concurrent reconciles and external requests. */
  readonly limiter: ConcurrencyLimiter;
  /** Connects to other clusters. */
  readonly connect: ConnectCluster;
  readonly env: NodeJS.ProcessEnv;
  /** Of the program. */
  readonly version: string;
  readonly flags: F & CommonFlags;
  /** Transports refuse write requests. For commands that only read. */
  readonly readOnly: boolean;
  /** Additional trusted certificates in PEM, for tests within one process; default: none. */
  readonly trustedCertificates?: readonly string[];
}

/** A command of a module. */
export interface ModuleCommand<F = unknown> {
  readonly name: string;
  /** Exit code for an invalid command line. */
  readonly usageExitCode: number;
  /** Adds description, arguments, options and action, or commands with these. */
  define(command: Command, context: CommandContext<F>): void;
}

export interface CommandContext<F = unknown> {
  readonly host: ProcessLike;
  /**
   * Adds the options that `open` and `openForWrites` read, to a command that calls one of them.
   *
   * @param to whether it connects to external APIs, or to clusters only
   */
  addConnectionFlags(command: Command, to: { readonly externalApis: boolean }): Command;
  /** Connects by the options, over transports that refuse write requests. */
  open(command: Command): Promise<CommandConnections<F>>;
  /** Connects by the options, for a command whose purpose is to write. */
  openForWrites(command: Command): Promise<CommandConnections<F>>;
}

export interface CommandConnections<F = unknown> extends ModuleContext<F>, AsyncDisposable {
  /** The namespace of `-n`, else that of the context, else `default`, as in kubectl. */
  readonly namespace: string;
}
