/**
 * A module is all that the program does for one system: its kinds, webhooks, commands and flags. The command line knows
 * modules and no kinds. README.md beside this folder says how to add one.
 *
 * Each process reads `Module` of every module, so that file imports types, flags and texts only; `load` brings the rest.
 */
import type { Command } from 'commander';
import type { ConcurrencyLimiter } from '../../base/concurrency/concurrency-limiter.ts';
import type { Deps } from '../../base/deps.ts';
import type { FlagTable } from '../../console/flag.ts';
import type { ProcessLike } from '../../console/process-like.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ClusterPoolOptions } from '../../kube/clusters/cluster-pool.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { ObjectNotifier } from '../../kube/watched-objects/object-notifier.ts';
import type { ConfigKinds, Managed, ManagedKind, Provider } from '../../runtime/index.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { RequiredRight } from './right.ts';

/** @typeParam F the flags of `start` that the module reads */
export interface Module<F = unknown> {
  /** As `--controllers` names it. */
  readonly name: string;
  /** Names of modules without which it cannot run. */
  readonly needs?: readonly string[];
  /** Flags of `start` that are the module's own. */
  readonly flags?: FlagTable;
  readonly commands?: readonly ModuleCommand<F>[];
  /** Loads the code of its kinds. */
  load(): Promise<LoadedModule<F>>;
}

/** A module whose code is loaded. Nothing is connected yet. */
export interface LoadedModule<F = unknown> {
  /** Kinds of provider configurations that it reconciles. */
  readonly configs: readonly ConfigKinds[];
  /** Kinds of managed resources that it reconciles. */
  readonly kinds: readonly ModuleKind[];
  /** Rights on the management cluster besides those that every kind needs. */
  readonly rights: readonly RequiredRight[];
  open(context: ModuleContext<F>): OpenModule;
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
  /** Adds controllers and webhooks to the provider, before it runs. */
  register(provider: Provider): void;
  /** The kinds of managed resources, for dry runs. */
  readonly kinds: readonly OpenKind[];
  /** What `doctor` says of one resource; absent: nothing. */
  diagnose?(question: DiagnosisQuestion): Promise<Diagnosis>;
  close(): Promise<void>;
}

export interface OpenKind extends ModuleKind {
  /** Makes the kind on a client of the management cluster, and hands it over with its resources' own type. */
  with<T>(client: KubeClient, use: <R extends Managed>(kind: ManagedKind<R>) => T): T;
}

export interface DiagnosisQuestion {
  readonly name: string;
  /** Of a namespaced resource; absent: the resource is cluster-scoped. */
  readonly namespace?: string;
  /** Whose rights on the management cluster are meant; default: those of whoever asks. */
  readonly user?: string;
  readonly signal: AbortSignal;
}

/** What a module works with: one of each in a process. */
export interface ModuleContext<F = unknown> {
  readonly deps: Deps;
  /** Of the management cluster. */
  readonly client: KubeClient;
  /** Tells when objects of the management cluster change. */
  readonly notifier: ObjectNotifier;
  /** Decides which reconciles and external calls may start. */
  readonly limiter: ConcurrencyLimiter;
  /** Connects to other clusters. */
  readonly connect: NonNullable<ClusterPoolOptions['connect']>;
  readonly env: NodeJS.ProcessEnv;
  readonly flags: F;
  /** Every transport refuses what is not a read; for commands that change nothing. */
  readonly readOnly: boolean;
  /** PEM certificates to trust besides, for tests within one process; default: none. */
  readonly trustedCertificates?: readonly string[];
}

/** A command of the program that a module brings. */
export interface ModuleCommand<F = unknown> {
  readonly name: string;
  /** Exit code for a command line that makes no sense. */
  readonly usageExitCode: number;
  /** Adds description, arguments, options and action. The options of the connection are added to them. */
  define(command: Command, context: CommandContext<F>): void;
}

export interface CommandContext<F = unknown> {
  readonly host: ProcessLike;
  /** Connects as the options say, over transports that refuse to write. */
  open(command: Command): Promise<CommandConnections<F>>;
}

export interface CommandConnections<F = unknown> extends ModuleContext<F>, AsyncDisposable {
  /** The namespace of `-n`, else that of the context, else `default`: what kubectl would take. */
  readonly namespace: string;
}
