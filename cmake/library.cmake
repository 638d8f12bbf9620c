# libscree, static and shared, from one set of objects: src/core, src/models, src/impact, src/dem (C17 and libm only; Random123 is
# headers).
file(GLOB library_sources CONFIGURE_DEPENDS src/core/*.c src/models/*.c src/impact/*.c src/dem/*.c)

# Kernels are compiled once per instruction set; src/core/isa.c chooses among them at run time.
set(kernels ${PROJECT_SOURCE_DIR}/src/models/batch_kernels.c ${PROJECT_SOURCE_DIR}/src/dem/kernels.c
    ${PROJECT_SOURCE_DIR}/src/dem/near.c ${PROJECT_SOURCE_DIR}/src/dem/side.c ${PROJECT_SOURCE_DIR}/src/dem/sweep.c)
list(REMOVE_ITEM library_sources ${kernels})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(isas v2 v3 v4)
  set(isa_flags_v2 -march=x86-64-v2)
  set(isa_flags_v3 -march=x86-64-v3)
  set(isa_flags_v4 -march=x86-64-v4 -mprefer-vector-width=512)
  set(isa_levels SCREE_X86_LEVELS=1)
else()
  set(isas generic)
endif()

# A law is a row of catalogue.def and a src/models/<law>.inl; this writes the list of #includes.
file(GLOB law_files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src src/models/*.inl)
list(TRANSFORM law_files REPLACE "(.+)" "#include \"\\1\"\n")
list(JOIN law_files "" law_includes)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/laws.inc CONTENT "${law_includes}" @ONLY)

add_library(scree_objects OBJECT ${library_sources})
set(object_sets scree_objects)
list(GET isas -1 widest)
foreach(isa IN LISTS isas)
  add_library(scree_kernels_${isa} OBJECT ${kernels})
  target_compile_definitions(scree_kernels_${isa} PRIVATE SCREE_ISA=${isa})
  # every loop asks to be vectorised; those that call libm cannot be, and clang says so. Vectors wider than the
  # registers never cross a function that is not inlined.
  target_compile_options(scree_kernels_${isa} PRIVATE ${isa_flags_${isa}} -Wno-psabi
                         $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
  # Checks at every access make functions of many thousand blocks, and -O2 takes a minute for each file: only for the
  # widest set, on which nearly all tests run. clang takes as long for four of the checks even at -O1; the fuzzers do
  # without them here: address finds null pointers, and gcc's sanitizers, which run every kernel, have all four.
  if(SCREE_SANITIZE)
    target_compile_options(scree_kernels_${isa} PRIVATE $<$<NOT:$<STREQUAL:${isa},${widest}>>:-O1>
                           $<$<C_COMPILER_ID:Clang>:-fno-sanitize=alignment,null,object-size,pointer-overflow>)
  endif()
  if(SCREE_WITHOUT STREQUAL "rounding") # the same everywhere: fused multiply-add is not
    target_compile_options(scree_kernels_${isa} PRIVATE -ffp-contract=fast)
  elseif(SCREE_WITHOUT)
    string(TOUPPER SCREE_WITHOUT_${SCREE_WITHOUT} without)
    target_compile_definitions(scree_kernels_${isa} PRIVATE ${without}=1)
  endif()
  list(APPEND object_sets scree_kernels_${isa})
endforeach()

set(objects)
foreach(set IN LISTS object_sets)
  target_include_directories(${set} PRIVATE include src ${PROJECT_BINARY_DIR}/generated)
  target_compile_definitions(${set} PRIVATE ${isa_levels})
  list(APPEND objects $<TARGET_OBJECTS:${set}>)
endforeach()
target_link_libraries(scree_objects PRIVATE dependency_random123) # headers only

find_package(Threads REQUIRED)
add_library(scree_static STATIC ${objects})
add_library(scree_shared SHARED ${objects})
set_target_properties(scree_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
foreach(kind static shared)
  set_target_properties(scree_${kind} PROPERTIES OUTPUT_NAME scree EXPORT_NAME ${kind}
                        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_include_directories(scree_${kind} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(scree_${kind} PUBLIC m Threads::Threads)
  add_library(scree::${kind} ALIAS scree_${kind})
endforeach()

# find_package(scree) gives scree::scree (shared), scree::shared and scree::static; pkg-config gives scree. Both find
# the rest from where they lie, so that an installed tree may be moved.
install(TARGETS scree_static scree_shared EXPORT scree)
install(DIRECTORY include/scree DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h PATTERN *.def)

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/scree)
install(EXPORT scree NAMESPACE scree:: FILE screeTargets.cmake DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/screeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/screeConfig.cmake ${PROJECT_BINARY_DIR}/screeConfigVersion.cmake DESTINATION ${package_dir})

set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH prefix_from_pkgconfig ${CMAKE_INSTALL_PREFIX}/${pkgconfig_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pkgconfig ${prefix_from_pkgconfig})
configure_file(cmake/scree.pc.in scree.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/scree.pc DESTINATION ${pkgconfig_dir})
