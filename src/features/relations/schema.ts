import { User, UserConnection } from '../accounts/schema.ts'
import { builder } from '../base/builder.ts'
import { numberedPageArgs } from '../base/pages.ts'
import { likeReply, readAnyPublication, readFollowers, readFollowing, readUser } from '../base/permissions.ts'
import { blocks, follows, likes, type Relation, relations, relationsTo } from '../base/relations.ts'
import { Publication, PublicationConnection, Reply } from '../posts/schema.ts'
import { relationMutations } from './mutations.ts'
import { actorsOf, hasViewer, objectsOf, viewerHas, viewersObjectsOf } from './reads.ts'

const flagOf = ({ on, effect }: Relation, it: string) =>
  `Whether the viewer ${on.does} ${it}.${effect ? ` ${effect}` : ''}`

for (const relation of relationsTo('publication'))
  builder.prismaInterfaceFields(Publication, (t) => ({
    [relation.flag]: t.boolean({ description: flagOf(relation, 'it'), read: viewerHas(relation) }),
  }))

for (const relation of relationsTo('user'))
  builder.prismaObjectFields(User, (t) => ({
    [relation.flag]: t.boolean({ description: flagOf(relation, 'this account'), read: viewerHas(relation) }),
  }))

const isOfUsers = ({ objectType }: Relation) => objectType === 'user'

// Everybody sees the lists of follows.
for (const relation of relations.filter((it) => it !== follows))
  builder.prismaObjectFields(User, (t) => ({
    [relation.table]: t.field({
      type: isOfUsers(relation) ? UserConnection : PublicationConnection,
      nullable: true,
      permission: isOfUsers(relation) ? relation.permission : readAnyPublication,
      args: numberedPageArgs(t.arg),
      description: `${isOfUsers(relation) ? 'Accounts' : 'Publications'} that the viewer ${relation.on.does}, most recent ${relation.verb} first; null for anybody else.`,
      read: viewersObjectsOf(relation),
    }),
  }))

builder.prismaInterfaceFields(Publication, (t) => ({
  likers: t.field({
    type: UserConnection,
    permission: readUser,
    args: numberedPageArgs(t.arg),
    description: 'Users who like it, most recent like first.',
    read: actorsOf(likes),
  }),
}))

builder.prismaObjectFields(User, (t) => ({
  followsViewer: t.boolean({
    description: 'Whether this account follows the viewer.',
    read: hasViewer(follows),
  }),
  isBlockingViewer: t.boolean({
    description: 'Whether this account blocks the viewer.',
    read: hasViewer(blocks),
  }),
  following: t.field({
    type: UserConnection,
    permission: readFollowing,
    args: numberedPageArgs(t.arg),
    description: 'Accounts that the user follows, most recent follow first.',
    read: objectsOf(follows),
  }),
  followers: t.field({
    type: UserConnection,
    permission: readFollowers,
    args: numberedPageArgs(t.arg),
    description: 'Accounts that follow the user, most recent follow first.',
    read: actorsOf(follows),
  }),
}))

for (const relation of relations) {
  const addToggle = relationMutations(relation, isOfUsers(relation) ? User : Publication)
  if (relation === likes)
    addToggle('toggleReplyLike', {
      noun: 'reply',
      type: Reply,
      permission: likeReply,
      errors: '`NOT_FOUND`, also for a post',
    })
}
