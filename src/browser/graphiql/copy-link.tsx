import { ToolbarButton, useGraphiQL } from '@graphiql/react'

/** The button that copies the address at which GraphiQL opens with this query and its variables. Headers stay out of it. */
export function CopyLink() {
  const queryEditor = useGraphiQL((state) => state.queryEditor)
  const variableEditor = useGraphiQL((state) => state.variableEditor)
  const copy = () => {
    const parameters = new URLSearchParams({ query: queryEditor?.getValue() ?? '' })
    const variables = variableEditor?.getValue()
    if (variables) parameters.set('variables', variables)
    navigator.clipboard.writeText(`${location.origin}/graphql?${parameters}`)
  }
  return (
    <ToolbarButton label="Copy link" onClick={copy}>
      <svg className="graphiql-toolbar-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden="true">
        <path
          strokeWidth="2"
          strokeLinecap="round"
          d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1m2 4a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1"
        />
      </svg>
    </ToolbarButton>
  )
}
