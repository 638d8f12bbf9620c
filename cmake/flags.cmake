# Flags of every translation unit. Results must have the same bits for every instruction set and compiler, so there is
# no -ffast-math, no contraction to fused multiply-add and no -march=native; without -fno-math-errno and
# -fno-trapping-math loops with sqrt and selects stay scalar.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # one set of objects serves the static and the shared library
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_options(-fno-math-errno -fno-trapping-math -ffp-contract=off)
add_compile_options(-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes)
if(SCREE_WERROR)
  add_compile_options(-Werror)
endif()

# What is installed names no folder of the machine that built it.
foreach(folder ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  add_compile_options($<$<CONFIG:Release>:-ffile-prefix-map=${folder}=scree>)
endforeach()

if(SCREE_SANITIZE)
  add_compile_options(-fsanitize=${SCREE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${SCREE_SANITIZE})
  # The compiler decides what it inlines: with the checks in every copy, the kernels would take it minutes. The bits and the
  # accesses that are checked are the same.
  add_compile_definitions(always_inline=unused)
endif()
