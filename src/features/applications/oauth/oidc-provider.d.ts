// The library without its index, which prints a warning on Node.js 20.

declare module 'oidc-provider/lib/provider.js' {
  export { Provider } from 'oidc-provider'
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider'
  export import AccessDenied = errors.AccessDenied
  export import InvalidClient = errors.InvalidClient
  export import InvalidGrant = errors.InvalidGrant
  export import InvalidScope = errors.InvalidScope
  export import InvalidTarget = errors.InvalidTarget
  export import SessionNotFound = errors.SessionNotFound
  export import SlowDown = errors.SlowDown
  export import TemporarilyUnavailable = errors.TemporarilyUnavailable
}

declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import { interactionPolicy } from 'oidc-provider'
  export import base = interactionPolicy.base
}
