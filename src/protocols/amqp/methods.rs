//! Methods with their arguments, and properties of content.

use super::fields::*;
use crate::tree::Field;

/// The wire format of an argument.
#[derive(Clone, Copy)]
pub(super) enum Argument {
    U8(&'static Field),
    U16(&'static Field),
    U32(&'static Field),
    U64(&'static Field),
    /// Text with a length of one byte.
    Short(&'static Field),
    /// Bytes with a length of four bytes.
    Long(&'static Field),
    Table(&'static Field),
    /// Bits of one byte, the lowest first.
    Bits(&'static [&'static Field]),
}

use Argument::{Bits, Long, Short, Table, U8, U16, U32, U64};

/// Class and number of a method, its name, its arguments.
type Method = ((u16, u16), &'static str, &'static [Argument]);

pub(super) const METHODS: &[Method] = &[
    (
        (10, 10),
        "Connection.Start",
        &[U8(&VERSION_MAJOR), U8(&VERSION_MINOR), Table(&SERVER_PROPERTIES), Long(&MECHANISMS), Long(&LOCALES)],
    ),
    ((10, 11), "Connection.Start-Ok", &[Table(&CLIENT_PROPERTIES), Short(&MECHANISM), Long(&RESPONSE), Short(&LOCALE)]),
    ((10, 20), "Connection.Secure", &[Long(&CHALLENGE)]),
    ((10, 21), "Connection.Secure-Ok", &[Long(&RESPONSE)]),
    ((10, 30), "Connection.Tune", &[U16(&CHANNEL_MAX), U32(&FRAME_MAX), U16(&HEARTBEAT)]),
    ((10, 31), "Connection.Tune-Ok", &[U16(&CHANNEL_MAX), U32(&FRAME_MAX), U16(&HEARTBEAT)]),
    ((10, 40), "Connection.Open", &[Short(&VIRTUAL_HOST), Short(&CAPABILITIES), Bits(&[&INSIST])]),
    ((10, 41), "Connection.Open-Ok", &[Short(&KNOWN_HOSTS)]),
    ((10, 50), "Connection.Close", &[U16(&REPLY_CODE), Short(&REPLY_TEXT), U16(&CLASS_ID), U16(&METHOD_ID)]),
    ((10, 51), "Connection.Close-Ok", &[]),
    ((10, 60), "Connection.Blocked", &[Short(&REASON)]),
    ((10, 61), "Connection.Unblocked", &[]),
    ((20, 10), "Channel.Open", &[Short(&OUT_OF_BAND)]),
    ((20, 11), "Channel.Open-Ok", &[Long(&CHANNEL_ID)]),
    ((20, 20), "Channel.Flow", &[Bits(&[&ACTIVE])]),
    ((20, 21), "Channel.Flow-Ok", &[Bits(&[&ACTIVE])]),
    ((20, 40), "Channel.Close", &[U16(&REPLY_CODE), Short(&REPLY_TEXT), U16(&CLASS_ID), U16(&METHOD_ID)]),
    ((20, 41), "Channel.Close-Ok", &[]),
    (
        (40, 10),
        "Exchange.Declare",
        &[
            U16(&TICKET),
            Short(&EXCHANGE),
            Short(&EXCHANGE_TYPE),
            Bits(&[&PASSIVE, &DURABLE, &AUTO_DELETE, &INTERNAL, &NO_WAIT]),
            Table(&ARGUMENTS),
        ],
    ),
    ((40, 11), "Exchange.Declare-Ok", &[]),
    ((40, 20), "Exchange.Delete", &[U16(&TICKET), Short(&EXCHANGE), Bits(&[&IF_UNUSED, &NO_WAIT])]),
    ((40, 21), "Exchange.Delete-Ok", &[]),
    (
        (40, 30),
        "Exchange.Bind",
        &[U16(&TICKET), Short(&DESTINATION), Short(&SOURCE), Short(&ROUTING_KEY), Bits(&[&NO_WAIT]), Table(&ARGUMENTS)],
    ),
    ((40, 31), "Exchange.Bind-Ok", &[]),
    (
        (40, 40),
        "Exchange.Unbind",
        &[U16(&TICKET), Short(&DESTINATION), Short(&SOURCE), Short(&ROUTING_KEY), Bits(&[&NO_WAIT]), Table(&ARGUMENTS)],
    ),
    ((40, 51), "Exchange.Unbind-Ok", &[]),
    (
        (50, 10),
        "Queue.Declare",
        &[U16(&TICKET), Short(&QUEUE), Bits(&[&PASSIVE, &DURABLE, &EXCLUSIVE, &AUTO_DELETE, &NO_WAIT]), Table(&ARGUMENTS)],
    ),
    ((50, 11), "Queue.Declare-Ok", &[Short(&QUEUE), U32(&MESSAGE_COUNT), U32(&CONSUMER_COUNT)]),
    (
        (50, 20),
        "Queue.Bind",
        &[U16(&TICKET), Short(&QUEUE), Short(&EXCHANGE), Short(&ROUTING_KEY), Bits(&[&NO_WAIT]), Table(&ARGUMENTS)],
    ),
    ((50, 21), "Queue.Bind-Ok", &[]),
    ((50, 30), "Queue.Purge", &[U16(&TICKET), Short(&QUEUE), Bits(&[&NO_WAIT])]),
    ((50, 31), "Queue.Purge-Ok", &[U32(&MESSAGE_COUNT)]),
    ((50, 40), "Queue.Delete", &[U16(&TICKET), Short(&QUEUE), Bits(&[&IF_UNUSED, &IF_EMPTY, &NO_WAIT])]),
    ((50, 41), "Queue.Delete-Ok", &[U32(&MESSAGE_COUNT)]),
    ((50, 50), "Queue.Unbind", &[U16(&TICKET), Short(&QUEUE), Short(&EXCHANGE), Short(&ROUTING_KEY), Table(&ARGUMENTS)]),
    ((50, 51), "Queue.Unbind-Ok", &[]),
    ((60, 10), "Basic.Qos", &[U32(&PREFETCH_SIZE), U16(&PREFETCH_COUNT), Bits(&[&GLOBAL])]),
    ((60, 11), "Basic.Qos-Ok", &[]),
    (
        (60, 20),
        "Basic.Consume",
        &[U16(&TICKET), Short(&QUEUE), Short(&CONSUMER_TAG), Bits(&[&NO_LOCAL, &NO_ACK, &EXCLUSIVE, &NO_WAIT]), Table(&FILTER)],
    ),
    ((60, 21), "Basic.Consume-Ok", &[Short(&CONSUMER_TAG)]),
    ((60, 30), "Basic.Cancel", &[Short(&CONSUMER_TAG), Bits(&[&NO_WAIT])]),
    ((60, 31), "Basic.Cancel-Ok", &[Short(&CONSUMER_TAG)]),
    ((60, 40), "Basic.Publish", &[U16(&TICKET), Short(&EXCHANGE), Short(&ROUTING_KEY), Bits(&[&MANDATORY, &IMMEDIATE])]),
    ((60, 50), "Basic.Return", &[U16(&REPLY_CODE), Short(&REPLY_TEXT), Short(&EXCHANGE), Short(&ROUTING_KEY)]),
    (
        (60, 60),
        "Basic.Deliver",
        &[Short(&CONSUMER_TAG), U64(&DELIVERY_TAG), Bits(&[&REDELIVERED]), Short(&EXCHANGE), Short(&ROUTING_KEY)],
    ),
    ((60, 70), "Basic.Get", &[U16(&TICKET), Short(&QUEUE), Bits(&[&NO_ACK])]),
    (
        (60, 71),
        "Basic.Get-Ok",
        &[U64(&DELIVERY_TAG), Bits(&[&REDELIVERED]), Short(&EXCHANGE), Short(&ROUTING_KEY), U32(&MESSAGE_COUNT)],
    ),
    ((60, 72), "Basic.Get-Empty", &[Short(&CLUSTER_ID)]),
    ((60, 80), "Basic.Ack", &[U64(&DELIVERY_TAG), Bits(&[&MULTIPLE])]),
    ((60, 90), "Basic.Reject", &[U64(&DELIVERY_TAG), Bits(&[&REQUEUE])]),
    ((60, 100), "Basic.Recover-Async", &[Bits(&[&REQUEUE])]),
    ((60, 110), "Basic.Recover", &[Bits(&[&REQUEUE])]),
    ((60, 111), "Basic.Recover-Ok", &[]),
    ((60, 120), "Basic.Nack", &[U64(&DELIVERY_TAG), Bits(&[&MULTIPLE, &REQUEUE])]),
    ((85, 10), "Confirm.Select", &[Bits(&[&NO_WAIT])]),
    ((85, 11), "Confirm.Select-Ok", &[]),
    ((90, 10), "Tx.Select", &[]),
    ((90, 11), "Tx.Select-Ok", &[]),
    ((90, 20), "Tx.Commit", &[]),
    ((90, 21), "Tx.Commit-Ok", &[]),
    ((90, 30), "Tx.Rollback", &[]),
    ((90, 31), "Tx.Rollback-Ok", &[]),
];

/// Properties of content, one for each flag from the highest one down.
pub(super) const PROPERTIES: &[Argument] = &[
    Short(&CONTENT_TYPE),
    Short(&CONTENT_ENCODING),
    Table(&HEADERS),
    U8(&DELIVERY_MODE),
    U8(&PRIORITY),
    Short(&CORRELATION_ID),
    Short(&REPLY_TO),
    Short(&EXPIRATION),
    Short(&MESSAGE_ID),
    U64(&TIMESTAMP),
    Short(&PROPERTY_TYPE),
    Short(&USER_ID),
    Short(&APP_ID),
    Short(&PROPERTY_CLUSTER),
];
