import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { useEffect, useRef } from 'react'
import { authorization } from '../session.ts'

/** Runs the home timeline as soon as the page has opened with it, so that the first thing to see is a response. */
export function FirstRun({ isOpened }: { readonly isOpened: boolean }) {
  const { run } = useGraphiQLActions()
  const queryEditor = useGraphiQL((state) => state.queryEditor)
  const isReady = useGraphiQL((state) => Boolean(state.queryEditor && state.responseEditor && state.schema))
  const query = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.query ?? '')
  const isDone = useRef(false)
  useEffect(() => {
    if (matchMedia('(max-width: 45rem)').matches) queryEditor?.updateOptions({ wordWrap: 'on' })
  }, [queryEditor])
  useEffect(() => {
    if (!isReady || isDone.current) return
    isDone.current = true
    if (!isOpened && authorization().Authorization && /^query HomeTimeline\b/m.test(query)) run()
  }, [isReady, isOpened, query, run])
  return null
}
