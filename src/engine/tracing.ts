import { context, createContextKey, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { version } from './version.ts'

/** Makes the spans of Rookery, which go nowhere without an SDK of OpenTelemetry. */
export const tracer = trace.getTracer('rookery', version)

const probe = ROOT_CONTEXT.setValue(createContextKey('probe'), true)

/** Whether the operator has loaded an SDK, which brings what keeps the active context. */
export const isTraced = (): boolean => context.with(probe, () => context.active() === probe)
