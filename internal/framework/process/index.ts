/** `provider-kyma/process`: a program: manager and telemetry. It knows no Kubernetes. */

export type { LeaderElector } from '../base/concurrency/fence.ts';
export {
  createManager,
  type HealthCheck,
  type Manager,
  type ManagerOptions,
  type Runnable,
  type Stop,
  startAndStop,
  untilAborted,
} from './manager.ts';
export type { CertificateFiles } from './server/certificate-files.ts';
export {
  type FailureStatus,
  type HttpServer,
  type HttpServerOptions,
  startHttpServer,
} from './server/http-server.ts';
export type { CompleteRequest, RequestListener } from './server/request-listener.ts';
export { createLogger, type LogOptions } from './telemetry/json-logger.ts';
export type { LogFormat } from './telemetry/log-format.ts';
export { createPrometheusMetrics, type MetricsPage, type PrometheusOptions } from './telemetry/prometheus.ts';
export type { Traces } from './telemetry/tracing/open-traces.ts';
export { type TraceSettings, type TracesOptions, traceSettings } from './telemetry/tracing/trace-settings.ts';
export { serveJobs } from './workers/serve-jobs.ts';
export {
  createWorkerPool,
  type WorkerLimit,
  type WorkerPool,
  type WorkerPoolOptions,
  WorkerStoppedError,
} from './workers/worker-pool.ts';
